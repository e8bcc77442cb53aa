package config

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime/debug"
	"syscall"
)

// loaded is one file, read and parsed.
type loaded struct {
	state FileState // absent, read or broken
	// real is the path without symbolic links, "" when absent.
	real    string
	foreign bool
	root    *node       // an object; nil unless read, or broken with an earlier good text
	text    []byte      // of root, as UTF-8
	problem *Diagnostic // when broken
}

// fixSyntax is what to do about a file that cannot be parsed.
const fixSyntax = "correct the file there: none of its servers count until all of it can be read"

// parser turns the text of one language into a tree.
type parser func(*document, []byte) (*node, *syntaxError)

// PanicError is a panic of a reader.
type PanicError struct {
	Value any
	Stack []byte
}

// Error implements error.
func (e *PanicError) Error() string {
	return fmt.Sprintf("discovery failed: a reader panicked: %v", e.Value)
}

// opener reads a whole file. It is readFile but for tests.
type opener func(path string) ([]byte, fs.FileInfo, error)

// arrival is a file that was read, or the panic of its reader.
type arrival struct {
	path string
	file loaded
	err  error
}

// load reads every file once, all of them at the same time, since any may be on
// a file system that does not answer. What has not been read when ctx ends
// because of errSlow is broken; any other end is an error. The goroutines end
// with their files; load waits for them as long as ctx lasts.
func load(ctx context.Context, places []place, previous *Result, read opener) (map[string]*loaded, error) {
	pending := make(map[string]place)
	for _, p := range places {
		if _, twice := pending[p.path]; p.path != "" && !twice {
			pending[p.path] = p
		}
	}
	arrivals := make(chan arrival, len(pending))
	for _, p := range pending {
		go func() {
			defer func() {
				if v := recover(); v != nil {
					arrivals <- arrival{err: &PanicError{v, debug.Stack()}}
				}
			}()
			arrivals <- arrival{path: p.path, file: loadFile(p, previous, read)}
		}()
	}
	files := make(map[string]*loaded, len(pending))
	for len(pending) > 0 {
		select {
		case a := <-arrivals:
			if a.err != nil {
				return nil, a.err
			}
			files[a.path] = &a.file
			delete(pending, a.path)
		case <-ctx.Done():
			if err := context.Cause(ctx); !errors.Is(err, errSlow) {
				return nil, err
			}
			for path, p := range pending {
				files[path] = lateFile(p, previous)
			}
			return files, nil
		}
	}
	return files, nil
}

func loadFile(p place, previous *Result, read opener) loaded {
	if p.inline != "" {
		read = func(string) ([]byte, fs.FileInfo, error) { return []byte(p.inline), nil, nil }
	}
	data, info, err := read(p.path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return loaded{state: FileAbsent}
	}
	f := loaded{state: FileRead, real: p.path}
	if real, err := filepath.EvalSymlinks(p.path); err == nil {
		f.real = real
	}
	f.foreign = info != nil && foreign(info)
	if err != nil {
		f.state = FileBroken
		f.problem = &Diagnostic{Path: p.path, Message: fmt.Sprintf("cannot be read: %v", cause(err)), Fix: "make it a file that you may read, or remove it"}
		return f.fallBack(p, previous)
	}
	root, text, syntax := parseFile(p, data, &document{path: p.path})
	if syntax != nil {
		f.state = FileBroken
		f.problem = &Diagnostic{Path: p.path, Message: syntax.message, Line: syntax.line, Column: syntax.column, Fix: fixSyntax}
		return f.fallBack(p, previous)
	}
	f.root, f.text = root, text
	return f
}

// lateFile is a file that did not arrive in time. Whose it is now is not known,
// so it is taken for whose it was.
func lateFile(p place, previous *Result) *loaded {
	f := loaded{state: FileBroken, real: p.path, problem: &Diagnostic{Path: p.path, Message: errSlow.Error(), Fix: "check the file system it lies on"}}
	if previous != nil && previous.good[p.path].text != nil {
		f.real, f.foreign = previous.good[p.path].real, previous.good[p.path].foreign
	}
	f = f.fallBack(p, previous)
	return &f
}

func parseFile(p place, data []byte, doc *document) (root *node, decoded []byte, problem *syntaxError) {
	decoded, problem = decodeText(data)
	if problem != nil {
		return nil, nil, problem
	}
	root, problem = p.parse(doc, decoded)
	if problem == nil && root.kind != object {
		problem = &syntaxError{root.line, root.column, fmt.Sprintf("expected an object, found %v", root.kind)}
	}
	return root, decoded, problem
}

// fallBack gives a broken file what it held when it was last good, unless another
// user had written that into a project: whose it is now says nothing about it.
func (f loaded) fallBack(p place, previous *Result) loaded {
	if previous == nil {
		return f
	}
	good := previous.good[p.path]
	if good.text == nil || good.foreign && p.level == Project {
		return f
	}
	f.text = good.text
	root, problem := p.parse(&document{path: p.path, stale: true}, f.text)
	if problem == nil {
		f.root = root
	}
	return f
}
