package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestEveryErrorBecomesOneWireError(t *testing.T) {
	cancelled, cancel := context.WithCancelCause(t.Context())
	cancel(errCancelled())
	ending, end := context.WithCancelCause(t.Context())
	end(ErrShuttingDown())
	for _, tt := range []struct {
		name string
		ctx  context.Context //nolint:containedctx // a row of a table
		err  error
		want Error
	}{
		{"typed", t.Context(), ErrUntrusted("s"), Error{1004, `server "s" is not trusted: it is from a file of the project`, nil}},
		{"wrapped", t.Context(), fmt.Errorf("connect: %w", ErrUnknownServer("s")), Error{1002, `connect: unknown server "s"`, nil}},
		{"cancelled by the host", cancelled, fmt.Errorf("call: %w", context.Canceled), Error{-32800, "cancelled", nil}},
		{"the session ends", ending, context.Canceled, Error{1006, "the sidecar is shutting down", nil}},
		{"another context was cancelled", t.Context(), context.Canceled, Error{-32603, "context canceled", nil}},
		{"a deadline", cancelled, context.DeadlineExceeded, Error{-32603, "context deadline exceeded", nil}},
		{"plain", t.Context(), errors.New("x"), Error{-32603, "x", nil}},
	} {
		if diff := cmp.Diff(&tt.want, toWire(tt.ctx, tt.err)); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}

func TestErrorsOnTheWire(t *testing.T) {
	for _, tt := range []struct {
		err  *Error
		want string
	}{
		{ErrUnknownTool("x", "", []string{"a", "b", "c", "d"}), `{"code":1001,"message":"unknown tool \"x\"; did you mean a, b, c?","data":{"suggestions":["a","b","c"]}}`},
		{ErrUnknownTool("x", "", nil), `{"code":1001,"message":"unknown tool \"x\"","data":{"suggestions":[]}}`},
		{ErrUnknownTool("x", "why", []string{"a"}), `{"code":1001,"message":"unknown tool \"x\": why; did you mean a?","data":{"suggestions":["a"],"reason":"why"}}`},
		{ErrAmbiguousTool("x", []string{"a", "b"}), `{"code":1003,"message":"tool \"x\" is ambiguous: a, b","data":{"candidates":["a","b"]}}`},
		{ErrAuthNeeded("s"), `{"code":1005,"message":"server \"s\" needs authentication"}`},
		{ErrOverloaded("server \"s\""), `{"code":1007,"message":"server \"s\": too many requests are waiting"}`},
		{ErrNotPermitted("mcp/reload"), `{"code":1008,"message":"mcp/reload is not permitted to a guest of the session"}`},
		{&Error{Code: 1, Message: "m", Data: func() {}}, `{"code":1,"message":"m"}`},
	} {
		if got := string(appendError(nil, tt.err)); got != tt.want {
			t.Errorf("got %s\nwant %s", got, tt.want)
		}
	}
	if !errors.Is(fmt.Errorf("x: %w", ErrShuttingDown()), ErrShuttingDown()) || errors.Is(ErrShuttingDown(), ErrInternal("")) {
		t.Error("errors.Is does not go by the code")
	}
}

func TestTheTableOfCodesIsComplete(t *testing.T) {
	codes := Codes()
	seen := map[int]bool{}
	for _, c := range codes {
		if seen[c.Code] || c.Name == "" || c.When == "" {
			t.Errorf("bad row %+v", c)
		}
		seen[c.Code] = true
	}
	if len(codes) != 16 || codes[7] != (CodeInfo{CodeUnknownTool, "unknown-tool", codes[7].When}) {
		t.Errorf("%d rows: %+v", len(codes), codes)
	}
}

// promptsToo implements one more interface.
type promptsToo struct{ scripted }

func (*promptsToo) ListPrompts(context.Context, *ListParams) (*ListResult, error) {
	return &ListResult{}, nil
}

func (*promptsToo) GetPrompt(context.Context, *GetPromptParams) (*RelayResult, error) {
	return &RelayResult{}, nil
}

func (*promptsToo) Complete(context.Context, *CompleteParams) (*RelayResult, error) {
	return &RelayResult{}, nil
}

func TestMethodsAreThoseThatAreImplemented(t *testing.T) {
	for _, tt := range []struct {
		impl    Sidecar
		methods int
		prompts bool
	}{{&scripted{}, 13, false}, {&promptsToo{}, 16, true}} {
		methods := Methods(tt.impl)
		reachable := routes(tt.impl)
		if len(methods) != tt.methods || len(reachable) != tt.methods {
			t.Errorf("%d methods, %d routes: %s", len(methods), len(reachable), methods)
		}
		for _, m := range methods {
			if _, ok := reachable[m]; !ok {
				t.Errorf("%s leads nowhere", m)
			}
		}
		if _, ok := reachable[MethodListPrompts]; ok != tt.prompts {
			t.Errorf("prompts: %t", ok)
		}
	}
}

// wireTypes are all that a message of ours can be made of.
func wireTypes() []body {
	return []body{
		&InitializeParams{}, &InitializeResult{}, &ConfigureParams{}, &SnapshotResult{}, &SnapshotAnswer{}, &Snapshot{},
		&ServersResult{}, &Server{}, &CallParams{}, &CallResult{}, &SearchResult{}, &WaitParams{}, &WaitResult{}, &LogsResult{},
		&ListResult{}, &RelayParams{}, &RelayResult{}, &ToolsChanged{}, &DiagnosticsParams{}, &LogParams{}, &ProgressParams{},
		&ApproveParams{}, &ApproveResult{}, &InputParams{}, &InputResult{}, &ServerConfig{}, &TrustListResult{}, &Empty{},
		&CancelParams{}, &ShareResult{}, &OpenURLParams{}, &ResourceParams{}, &CompleteParams{}, &GetPromptParams{},
	}
}

// fill sets everything in v, or a random part of it.
func fill(r *rand.Rand, v reflect.Value) {
	if r.IntN(5) == 0 && v.Kind() != reflect.Struct || v.Type() == reflect.TypeFor[Unknown]() {
		return
	}
	switch k := v.Kind(); k {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(r, v.Elem())
	case reflect.Struct:
		for _, field := range v.Fields() {
			fill(r, field)
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes([]byte(`{"z":[1.0,"<&>"],"a":null}`))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), r.IntN(3), 3))
		for i := range v.Len() {
			fill(r, v.Index(i))
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for _, k := range []string{"b", "a"} {
			e := reflect.New(v.Type().Elem()).Elem()
			fill(r, e)
			v.SetMapIndex(reflect.ValueOf(k), e)
		}
	case reflect.String:
		v.SetString("<é\u2028\"\\\x01>")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int:
		v.SetInt(int64(r.IntN(1000)))
	case reflect.Float64:
		v.SetFloat(r.Float64())
	default:
		panic(k.String())
	}
}

// normal makes nil lists empty, which is how ours are sent.
func normal(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			normal(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if strings.Contains(f.Tag.Get("json"), ",omit") && v.Field(i).IsZero() {
				continue
			}
			normal(v.Field(i))
		}
	case reflect.Slice:
		if v.IsNil() && v.Type() != reflect.TypeFor[json.RawMessage]() {
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		}
		for i := range v.Len() {
			normal(v.Index(i))
		}
	case reflect.Map:
		if v.IsNil() {
			v.Set(reflect.MakeMap(v.Type()))
		}
	default: // the others have no nil
	}
}

// unsent leaves out Unknown, which is only read.
var unsent = cmpopts.IgnoreMapEntries(func(name string, _ any) bool { return name == "Unknown" })

func TestEncodersSayWhatEncodingJSONSays(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, zero := range wireTypes() {
		for range 20 {
			v := reflect.New(reflect.TypeOf(zero).Elem())
			fill(r, v.Elem())
			value, _ := v.Interface().(body)
			got := string(value.AppendJSON([]byte("x")))[1:]
			normal(v)
			var want bytes.Buffer
			enc := json.NewEncoder(&want)
			enc.SetEscapeHTML(false)
			if err := enc.Encode(value); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(parsed(t, want.String()), parsed(t, got), unsent); diff != "" {
				t.Fatalf("%T: %s\n%s", value, got, diff)
			}
			if raw := `{"z":[1.0,"<&>"],"a":null}`; strings.Contains(want.String(), raw) && !strings.Contains(got, raw) {
				t.Fatalf("%T: a raw member was changed: %s", value, got)
			}
		}
	}
}

// swell makes every text and raw member of v n bytes long.
func swell(v reflect.Value, n int) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			swell(v.Elem(), n)
		}
	case reflect.Struct:
		for _, field := range v.Fields() {
			swell(field, n)
		}
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes([]byte(`"` + strings.Repeat("r", n-2) + `"`))
			return
		}
		for i := range v.Len() {
			swell(v.Index(i), n)
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			e := reflect.New(v.Type().Elem()).Elem()
			swell(e, n)
			v.SetMapIndex(k, e)
		}
	case reflect.String:
		v.SetString(strings.Repeat("s", n))
	default: // the others are small
	}
}

func TestTheEstimateOfAMessageIsNearItsSize(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	near := func(f *frame) {
		t.Helper()
		got, want := sizeOf(f), len(appendFrame(nil, f, FramingNDJSON))
		if slack := 2000 + want/20; got < want-slack || got > want+slack {
			t.Errorf("%T: %d bytes are taken for %d", f.value, want, got)
		}
	}
	for _, zero := range wireTypes() {
		for range 10 {
			v := reflect.New(reflect.TypeOf(zero).Elem())
			fill(r, v.Elem())
			swell(v, 10_000)
			value, _ := v.Interface().(body)
			near(&frame{id: json.RawMessage("1"), value: value})
		}
	}
	long := strings.Repeat("x", 100_000)
	near(&frame{id: json.RawMessage(`"` + long + `"`), fault: ErrUnknownServer(long)})
	near(&frame{fault: &Error{Data: json.RawMessage(`"` + long + `"`)}})
	few, many := view(1, "a"), view(2, long, "b")
	many.Hash = few.Hash // of some length
	near(&frame{method: MethodToolsChanged, value: &toolsPush{from: few, to: many}})
	near(&frame{method: MethodToolsChanged, value: &toolsPush{from: many, to: few}})
}

func parsed(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return v
}

func TestNumbersThatJSONDoesNotHaveAreNull(t *testing.T) {
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if got := string(appendFloat(nil, f)); got != "null" {
			t.Errorf("%v is %s", f, got)
		}
	}
}
