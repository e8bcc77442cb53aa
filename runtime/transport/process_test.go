//go:build linux || darwin

package transport

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestCloseOfAnObedientServerCostsNoneOfItsTime(t *testing.T) {
	t.Parallel()
	spec := childSpec(t, "tools")
	spec.Era, spec.Shutdown = EraStateful, time.Hour
	dialSpec(t, spec, Hooks{}).Close()
}

func TestCloseKillsAFamilyThatIgnoresEOFAndTERM(t *testing.T) {
	t.Parallel()
	all := newLives(t)
	s := dialChild(t, "family", Hooks{}, all.env())
	family := all.named("father", "child")
	s.Close()
	if groupAlive(family["father"].pid) {
		t.Error("the group still exists after Close")
	}
	family["father"].mustEnd(t, time.Second)
	family["child"].mustEnd(t, time.Second)
	<-s.Done()
	wantError(t, s.Err(), CodeClosed, StageTransport, false)
}

func TestAFailedDialKillsTheFamily(t *testing.T) {
	t.Parallel()
	all := newLives(t)
	spec := childSpec(t, "leaves-child", all.env())
	spec.Era = EraStateful
	s := dialSpec(t, spec, Hooks{})
	family := all.named("father", "child")
	_, err := s.Call(t.Context(), Call{Tool: "exit"})
	e := wantError(t, err, CodeExited, StageCall, false)
	if e.Message != "exited with status 4 during tools/call" {
		t.Errorf("error = %q", e.Message)
	}
	// Not closed: the death of the leader is enough.
	family["child"].mustEnd(t, 5*time.Second)
}

func TestAGrandchildIsAskedBeforeItIsKilled(t *testing.T) {
	t.Parallel()
	all := newLives(t)
	wrote := filepath.Join(t.TempDir(), "wrote")
	s := dialChild(t, "lets-child-finish", Hooks{}, all.env(), "WROTE="+wrote)
	all.named("child")
	s.Close()
	if got, err := os.ReadFile(wrote); string(got) != "saved" {
		t.Errorf("the grandchild has not finished: %q, %v", got, err)
	}
}

func TestAGrandchildThatLeftTheGroupDoesNotHoldClose(t *testing.T) {
	t.Parallel()
	all := newLives(t)
	spec := childSpec(t, "escapes", all.env())
	spec.Era, spec.Shutdown = EraStateful, time.Hour
	s := dialSpec(t, spec, Hooks{})
	family := all.named("father", "child")
	t.Cleanup(func() { _ = syscall.Kill(family["child"].pid, syscall.SIGKILL) })
	s.Close() // it still has our pipe, and an hour
	family["father"].mustEnd(t, time.Second)
}

func TestCloseMayBeCalledByMany(t *testing.T) {
	t.Parallel()
	s := dialChild(t, "tools", Hooks{})
	pid := s.Info().PID
	done := make(chan bool, 4)
	for range cap(done) {
		go func() {
			s.Close()
			done <- groupAlive(pid)
		}()
	}
	for range cap(done) {
		if <-done {
			t.Error("Close returned before the process was gone")
		}
	}
	_, err := s.Call(t.Context(), Call{Tool: "echo"})
	wantError(t, err, CodeClosed, StageCall, true)
}

func TestCloseEndsCallsInFlight(t *testing.T) {
	t.Parallel()
	stderr := newLines()
	s := dialChild(t, "tools", Hooks{Stderr: stderr.add})
	result := make(chan error, 1)
	go func() {
		_, err := s.Call(t.Context(), Call{Tool: "never"})
		result <- err
	}()
	stderr.wait(t, "asked")
	s.Close()
	wantError(t, <-result, CodeClosed, StageCall, false)
}

// openFiles are the descriptors of this process.
func openFiles(t *testing.T) int {
	t.Helper()
	dir := "/proc/self/fd"
	if goruntime.GOOS == "darwin" {
		dir = "/dev/fd"
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// children are the direct children of this process, zombies among them.
func children(t *testing.T) string {
	t.Helper()
	tasks, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, task := range tasks {
		text, _ := os.ReadFile(task)
		all.Write(text)
	}
	return all.String()
}

// Not parallel: it counts what the whole process has.
func TestRestartsAndCancelledCallsLeaveNothing(t *testing.T) {
	d := &Dialer{Guard: &Guard{}}
	defer d.Guard.Close()
	spec := childSpec(t, "tools")
	spec.Era = EraStateful
	once := func(cancelled int) {
		asked := newLines()
		s, err := d.Dial(t.Context(), spec, Hooks{Stderr: asked.add})
		if err != nil {
			t.Fatal(err)
		}
		for range cancelled {
			ctx, cancel := context.WithCancel(t.Context())
			go func() { // ends with the call
				<-asked
				cancel()
			}()
			if _, err := s.Call(ctx, Call{Tool: "never"}); !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
		}
		lane := s.(*session).link.(*stdioLink).lane
		lane.mu.Lock()
		remembered := len(lane.pending)
		lane.mu.Unlock()
		if remembered != 0 {
			t.Errorf("%d requests are remembered", remembered)
		}
		s.Close()
	}
	once(1)
	files, kids, routines := openFiles(t), children(t), goruntime.NumGoroutine()
	once(1000)
	for range 50 {
		once(0)
	}
	if now := openFiles(t); now > files {
		t.Errorf("%d open files, %d before", now, files)
	}
	if now := children(t); now != kids {
		t.Errorf("children %q, before %q", now, kids)
	}
	// Goroutines end a moment after what they have announced.
	for range 1000 {
		if goruntime.NumGoroutine() <= routines {
			break
		}
		goruntime.Gosched()
	}
	if now := goruntime.NumGoroutine(); now > routines+2 {
		buf := make([]byte, 1<<16)
		t.Errorf("%d goroutines, %d before:\n%s", now, routines, buf[:goruntime.Stack(buf, true)])
	}
}

func TestACommandThatIsNotThereIsExplained(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	script("plain", "", 0o600)
	script("badinterp", "#!/no/such/interpreter\n", 0o700)
	script("noprogram", "x", 0o700)
	for _, c := range []struct {
		command, dir string
		code         Code
		message      string   // a part
		hint         string   // a part
		give         []string // argument, or variable
	}{
		{"npx", dir, CodeNotFound, `command "npx" not found; PATH searched: /no/such/dir`, "Node.js", nil},
		{"uvx", dir, CodeNotFound, `command "uvx" not found`, "docs.astral.sh/uv", nil},
		{"docker", dir, CodeNotFound, `command "docker" not found`, "Docker", nil},
		{"my-server", dir, CodeNotFound, `command "my-server" not found`, "install my-server", nil},
		{"python3 -m server", dir, CodeNotFound, `command "python3 -m server" not found`, `belongs into "args"`, nil},
		{"./missing", dir, CodeNotFound, `"./missing" (` + dir + `/missing) not found`, "correct the path", nil},
		{"/usr/bin/env /srv/x.js", dir, CodeNotFound, `"/usr/bin/env /srv/x.js" not found`, `belong into "args"`, nil},
		{"npx -y @a/b", dir, CodeNotFound, `"npx -y @a/b" (` + dir + `/npx -y @a/b) not found`, `belong into "args"`, nil},
		{"./missing --now", dir, CodeNotFound, `"./missing --now" (` + dir + `/missing --now) not found`, `belong into "args"`, nil},
		{"plain", dir, CodeSpawn, `"plain" (` + dir + `/plain) may not be executed`, "chmod +x", []string{"", "PATH=" + dir}},
		{"./plain", dir, CodeSpawn, "may not be executed", "chmod +x", nil},
		{"./badinterp", dir, CodeSpawn, "cannot be started", "interpreter", nil},
		{"./noprogram", dir, CodeSpawn, "cannot be started", "#!/bin/sh", nil},
		{"/", dir, CodeSpawn, "is a directory", "", nil},
		{"./plain", dir + "/none", CodeSpawn, "working directory", "", nil},
		{"./plain", dir + "/plain", CodeSpawn, "is no directory", "", nil},
		{"/bin/sh", dir, CodeSpawn, "argument 1 has a zero byte", "", []string{"a\x00b"}},
		{"/bin/sh", dir, CodeSpawn, "variable TOKEN has a zero byte", "", []string{"", "TOKEN=a\x00b"}},
		{"/bin/sh", dir, CodeSpawn, "cannot be started", "variable BIG alone has 4194308 bytes", []string{"x", "BIG=" + strings.Repeat("x", 4<<20)}},
	} {
		spec := Spec{
			Name: "x", Kind: Stdio, Command: c.command, Dir: c.dir,
			Env: []string{"PATH=/no/such/dir", "SHELL=/bin/false", "HOME=" + dir},
		}
		if len(c.give) > 0 {
			spec.Args = c.give[:1]
			spec.Env = append(spec.Env, c.give[1:]...)
		}
		_, err := (&Dialer{}).Dial(t.Context(), spec, Hooks{})
		e := wantError(t, err, c.code, StageSpawn, true)
		if !e.Lasting {
			t.Errorf("%s: %v is said to heal by itself", c.command, err)
		}
		if !strings.Contains(e.Message, c.message) || !strings.Contains(e.Hint, c.hint) {
			t.Errorf("%s: %q, hint %q; want %q, hint %q", c.command, e.Message, e.Hint, c.message, c.hint)
		}
		if c.code == CodeNotFound && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v is no fs.ErrNotExist", c.command, err)
		}
	}
}

func TestWhatMayHealByItselfIsTriedAgain(t *testing.T) {
	for _, errno := range []error{syscall.EAGAIN, syscall.EMFILE, syscall.ESTALE, syscall.ENOTCONN} {
		err := &fs.PathError{Op: "stat", Path: "/x", Err: errno}
		if e := pathError("x", "/x", err); e.Lasting {
			t.Errorf("looking: %v", e)
		}
		if e := spawnError(&Spec{}, err); e.Lasting {
			t.Errorf("starting: %v", e)
		}
	}
	for _, errno := range []error{syscall.ENOTDIR, syscall.ELOOP, syscall.ENAMETOOLONG, syscall.EACCES} {
		err := &fs.PathError{Op: "stat", Path: "/x", Err: errno}
		if !pathError("x", "/x", err).Lasting || !spawnError(&Spec{}, err).Lasting {
			t.Errorf("%v is tried again", errno)
		}
	}
}

func TestPATHIsRecoveredFromTheLoginShellOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(bin, "hidden-server")); err != nil {
		t.Fatal(err)
	}
	// A shell whose start-up files talk, fork and export things of their own.
	shell := filepath.Join(dir, "shell")
	text := fmt.Sprintf("#!/bin/sh\necho started >>%[1]s/starts\necho \"welcome $*\"\nexport EDITOR=none\nsleep 600 &\nPATH=%[1]s/bin:$PATH\neval \"$4\"\necho bye\n", dir)
	if err := os.WriteFile(shell, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	d := &Dialer{}
	for range 2 {
		spec := Spec{
			Name: "x", Kind: Stdio, Command: "hidden-server", Era: EraStateful,
			Env: []string{"PATH=/usr/bin:/bin", "SHELL=" + shell, "HOME=" + dir, scriptEnv + "=tools"},
		}
		s, err := d.Dial(t.Context(), spec, Hooks{})
		if err != nil {
			t.Fatal(err)
		}
		s.Close()
	}
	starts, err := os.ReadFile(filepath.Join(dir, "starts"))
	if string(starts) != "started\n" {
		t.Errorf("the shell ran %q times, %v", starts, err)
	}
}

func TestALoginShellIsUnderGuardAndEndsWithTheDialThatAsksIt(t *testing.T) {
	t.Parallel()
	all := newLives(t)
	spec := childSpec(t, "stubborn", all.env(), "HOME="+t.TempDir())
	spec.Env = setenv(append(spec.Env, "SHELL="+spec.Command), "PATH", "/nowhere")
	spec.Command = "no-such-server"
	ctx, cancel := context.WithCancel(t.Context())
	d := &Dialer{Guard: &Guard{}}
	defer d.Guard.Close()
	shell := make(chan *life, 1)
	go func() { // ends when the shell has begun
		one := all.next()
		d.Guard.awaitListed(t, one.pid)
		shell <- one
		cancel()
	}()
	_, err := d.Dial(ctx, spec, Hooks{})
	wantError(t, err, CodeClosed, StageSpawn, true)
	(<-shell).mustEnd(t, time.Second)
	if path := d.login.get(t.Context(), func() (string, error) {
		return d.askLoginShell(t.Context(), []string{"SHELL=/bin/sh", "PATH=/marked/dir:/usr/bin:/bin"})
	}); !strings.Contains(path, "/bin") {
		t.Errorf("the next who asks is told %q", path)
	}
}

func TestALoginShellThatCannotBeStartedHasToldNothing(t *testing.T) {
	t.Parallel()
	var d Dialer
	ask := func(shell string) string {
		return d.login.get(t.Context(), func() (string, error) {
			return d.askLoginShell(t.Context(), []string{"SHELL=" + shell, "PATH=/usr/bin:/bin"})
		})
	}
	if path := ask("/no/such/shell"); path != "" {
		t.Errorf("it told %q", path)
	}
	if path := ask("/bin/sh"); !strings.Contains(path, "/bin") {
		t.Errorf("the next is told %q", path)
	}
}

func TestRealLoginShellsTellTheirPATH(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"/bin/sh", "/bin/bash", "/bin/zsh", "/usr/bin/fish"} {
		if _, err := os.Stat(shell); err != nil {
			continue
		}
		path, err := (&Dialer{}).askLoginShell(t.Context(), []string{"SHELL=" + shell, "HOME=" + t.TempDir(), "PATH=/marked/dir:/usr/bin:/bin", "TERM=dumb"})
		if err != nil || !strings.Contains(path, "/bin") {
			t.Errorf("%s told %q", shell, path)
		}
	}
}

func TestACommandIsLocatedWhereItWouldBeStarted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"own/a", "own/plain", "shell/b"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		mode := os.FileMode(0o700)
		if strings.HasSuffix(name, "plain") {
			mode = 0o600
		}
		if err := os.WriteFile(path, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	own, shell := filepath.Join(dir, "own"), filepath.Join(dir, "shell")
	d := &Dialer{}
	locate := func(command string) Location {
		at, err := d.Locate(t.Context(), Spec{Command: command, Dir: dir, Env: []string{"PATH=" + own, "SHELL=/bin/false"}})
		if err != nil {
			t.Errorf("%s: %v", command, err)
		}
		return at
	}
	check := func(command string, want Location) {
		t.Helper()
		if got := locate(command); got.Found != want.Found || got.LoginShell != want.LoginShell || !slices.Equal(got.Searched, want.Searched) {
			t.Errorf("%s: %+v, want %+v", command, got, want)
		}
	}
	check("a", Location{Found: own + "/a", Searched: []string{own}})
	check("b", Location{Searched: []string{own}})
	check("plain", Location{Searched: []string{own}})
	check("own/a", Location{Found: own + "/a"})
	check("own/none", Location{})
	d.login.get(t.Context(), func() (string, error) { return shell, nil })
	check("a", Location{Found: own + "/a", Searched: []string{own}})
	check("b", Location{Found: shell + "/b", Searched: []string{own, shell}, LoginShell: true})
	check("c", Location{Searched: []string{own, shell}})
}
