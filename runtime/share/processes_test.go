//go:build unix

package share

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/mcp-sidecar/mcp-sidecar/runtime/disktest"
)

// roleVariable makes a copy of this test binary a process of one of the roles.
const (
	roleVariable  = "SHARE_TEST_ROLE"
	placeVariable = "SHARE_TEST_PLACE"
)

func TestMain(m *testing.M) {
	place := os.Getenv(placeVariable)
	var err error
	switch os.Getenv(roleVariable) {
	case "":
		m.Run()
		return
	case "owner":
		err = own(place, 0)
	case "restless owner":
		err = own(place, 10)
	case "poor owner":
		err = ownWithoutFiles(place)
	case "other guest":
		err = joinAsNobody(place)
	case "other owner":
		err = listenAsNobody(place)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// own opens a door and closes it, so many times, and then opens one until standard
// input ends or it is killed.
func own(place string, times int) error {
	for n := range times + 1 {
		e, err := Open(Options{Places: []string{place}, Serve: echo, Log: slog.New(slog.NewTextHandler(os.Stderr, nil))})
		if err != nil {
			return err
		}
		if n == times {
			fmt.Println(e.Invitation())
			_, _ = io.Copy(io.Discard, os.Stdin)
		} else if !there(strings.TrimPrefix(e.String(), scheme)) {
			return fmt.Errorf("%v is gone", e)
		}
		e.Close()
	}
	return nil
}

// ownWithoutFiles has files left for two guests.
func ownWithoutFiles(place string) error {
	e, err := Open(Options{Places: []string{place}, Serve: echo, Log: slog.New(slog.NewTextHandler(os.Stdout, nil))})
	if err != nil {
		return err
	}
	next, err := os.Open(place)
	if err != nil {
		return err
	}
	limit := syscall.Rlimit{Cur: uint64(next.Fd()) + 2, Max: uint64(next.Fd()) + 2}
	next.Close()
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return err
	}
	fmt.Println(e.Invitation())
	_, _ = io.Copy(io.Discard, os.Stdin)
	e.Close()
	return nil
}

// joinAsNobody is another user, who has the invitation.
func joinAsNobody(invitation string) error {
	if err := becomeNobody(); err != nil {
		return err
	}
	path, token, err := parse(invitation)
	if err != nil {
		return err
	}
	conn, err := net.Dial("unix", path)
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintln(conn, greeting+token)
	answer, err := io.ReadAll(conn)
	if err != nil && !errors.Is(err, syscall.ECONNRESET) {
		return err
	}
	fmt.Printf("%q\n", answer)
	return nil
}

// listenAsNobody is another user, who listens where a door was.
func listenAsNobody(place string) error {
	if err := becomeNobody(); err != nil {
		return err
	}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(place, "x.sock"), Net: "unix"})
	if err != nil {
		return err
	}
	fmt.Println("unix:" + listener.Addr().String() + "#TOKEN")
	conn, err := listener.Accept()
	if err != nil {
		return err
	}
	heard, _ := io.ReadAll(conn)
	fmt.Printf("%q\n", heard)
	return nil
}

func becomeNobody() error {
	return errors.Join(syscall.Setgroups(nil), syscall.Setgid(nobody), syscall.Setuid(nobody))
}

// process is one of ours.
type process struct {
	*exec.Cmd
	in  io.Closer
	out *bufio.Scanner
}

func start(t *testing.T, role, place string) *process {
	t.Helper()
	cmd := disktest.Self(t, roleVariable, role)
	cmd.Env = append(cmd.Env, "GORACE=atexit_sleep_ms=0", placeVariable+"="+place)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return &process{cmd, in, bufio.NewScanner(out)}
}

// line is the next one that the process says, "" at its end.
func (p *process) line() string {
	p.out.Scan()
	return p.out.Text()
}

// kill ends the process as nothing that it could see coming.
func (p *process) kill(t *testing.T) {
	t.Helper()
	if err := p.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = p.Wait() // it was killed
}

// end lets the process end.
func (p *process) end(t *testing.T) {
	t.Helper()
	p.in.Close()
	if err := p.Wait(); err != nil {
		t.Error(err)
	}
}

func TestWhatTheDeadLeaveIsSweptAndWhatTheLivingHaveIsNot(t *testing.T) {
	place := filepath.Join(shortDir(t), "door")
	dead, living := start(t, "owner", place), start(t, "owner", place)
	left, invitation := dead.line(), living.line()
	dead.kill(t)
	if all := disktest.Names(t, place); len(all) != 4 {
		t.Errorf("%q", all)
	}
	if _, err := Dial(t.Context(), left); !errors.Is(err, ErrGone) {
		t.Error(err)
	}
	d := openIn(t, place, echo)
	path, _, _ := parse(left)
	if all := disktest.Names(t, place); len(all) != 4 || slices.Contains(all, filepath.Base(path)) {
		t.Errorf("%q", all)
	}
	conn, err := Dial(t.Context(), invitation)
	if err != nil {
		t.Fatal(err)
	}
	mustEcho(t, conn)
	conn.Close()
	d.Close()
	living.end(t)
	if all := disktest.Names(t, place); len(all) != 0 {
		t.Errorf("left behind: %q", all)
	}
}

func TestManyThatOpenAndAreKilledDoNotTakeALiveOnesSocket(t *testing.T) {
	place := filepath.Join(shortDir(t), "door")
	d := openIn(t, place, echo)
	var rounds sync.WaitGroup
	for range 4 {
		rounds.Go(func() {
			for range 3 {
				p := start(t, "restless owner", place)
				switch conn, err := Dial(t.Context(), p.line()); {
				case err != nil:
					t.Error(err)
				default:
					mustEcho(t, conn)
					conn.Close()
				}
				p.kill(t)
				conn, err := Dial(t.Context(), d.Invitation())
				if err != nil {
					t.Error(err)
					return
				}
				mustEcho(t, conn)
				conn.Close()
			}
		})
	}
	rounds.Wait()
	sweep(place)
	if all := disktest.Names(t, place); len(all) != 2 {
		t.Errorf("%q", all)
	}
}

func TestADoorWithoutFilesLetsInWhenThereAreSomeAgain(t *testing.T) {
	p := start(t, "poor owner", filepath.Join(shortDir(t), "door"))
	path, token, err := parse(p.line())
	if err != nil {
		t.Fatal(err)
	}
	var all []*net.UnixConn
	for range 4 {
		conn := connect(t, path)
		say(t, conn, greeting+token+"\n")
		all = append(all, conn)
	}
	if log := p.line(); !strings.Contains(log, "guests cannot be let in at the moment") || !strings.Contains(log, "too many open files") {
		t.Error(log)
	}
	for _, conn := range all {
		if line, err := readLine(conn); line != welcome {
			t.Error(line, err)
		}
		mustEcho(t, conn)
		conn.Close()
	}
	p.end(t)
}

// opened is a directory that every user can enter, on the way to a place.
func opened(t *testing.T) string {
	t.Helper()
	if goruntime.GOOS != "linux" || os.Geteuid() != 0 {
		t.Skip("only root can become another user")
	}
	dir := shortDir(t)
	for up := dir; up != "/"; up = filepath.Dir(up) {
		if info, err := os.Stat(up); err != nil || up != dir && info.Mode().Perm()&0o001 == 0 {
			t.Skip("others cannot enter ", up)
		}
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestAnotherUserIsRefusedThoughTheDirectoryWasOpenedToThem(t *testing.T) {
	d := openIn(t, filepath.Join(opened(t), "door"), nobodyComes(t))
	socket := strings.TrimPrefix(d.String(), scheme)
	if err := errors.Join(os.Chmod(d.place, 0o755), os.Chmod(socket, 0o777)); err != nil {
		t.Fatal(err)
	}
	p := start(t, "other guest", d.Invitation())
	if got := p.line(); got != `"refused: the session is another user's\n"` {
		t.Error(got)
	}
	p.end(t)
}

func TestAnotherUserWhoListensIsToldNothing(t *testing.T) {
	place := opened(t)
	if err := os.Chmod(place, 0o777); err != nil {
		t.Fatal(err)
	}
	p := start(t, "other owner", place)
	if _, err := Dial(t.Context(), p.line()); err == nil || !strings.Contains(err.Error(), "another user's") {
		t.Error(err)
	}
	if got := p.line(); got != `""` {
		t.Error("it was told", got)
	}
	p.end(t)
}
