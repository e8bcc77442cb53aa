package config

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime/debug"
	"sync"
	"syscall"
)

// readers is how many files are read at once: enough to overlap the waits of a
// network file system.
const readers = 8

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

// load reads every file once, several at a time. The goroutines it starts end
// when the files are read, and it waits for them.
func load(ctx context.Context, places []place, previous *Result) (map[string]*loaded, error) {
	files := make(map[string]*loaded)
	queue := make(chan place, len(places))
	for _, p := range places {
		if p.path != "" && files[p.path] == nil {
			files[p.path] = &loaded{}
			queue <- p
		}
	}
	close(queue)
	failures := make(chan error, readers)
	var wait sync.WaitGroup
	for range min(readers, len(files)) {
		wait.Go(func() {
			defer func() {
				if v := recover(); v != nil {
					failures <- &PanicError{v, debug.Stack()}
				}
			}()
			for p := range queue {
				if ctx.Err() != nil {
					return
				}
				*files[p.path] = loadFile(p, previous)
			}
		})
	}
	wait.Wait()
	close(failures)
	if err := <-failures; err != nil {
		return nil, err
	}
	return files, ctx.Err()
}

func loadFile(p place, previous *Result) loaded {
	data, info, err := readFile(p.path)
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
		f.problem = &Diagnostic{Path: p.path, Message: fmt.Sprintf("cannot be read: %v", cause(err))}
		return f.fallBack(p, previous)
	}
	root, text, syntax := parseFile(p, data, &document{path: p.path})
	if syntax != nil {
		f.state = FileBroken
		f.problem = &Diagnostic{Path: p.path, Message: syntax.message, Line: syntax.line, Column: syntax.column}
		return f.fallBack(p, previous)
	}
	f.root, f.text = root, text
	return f
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

// fallBack gives a broken file what it held when it was last good.
func (f loaded) fallBack(p place, previous *Result) loaded {
	if previous == nil || previous.texts[p.path] == nil {
		return f
	}
	f.text = previous.texts[p.path]
	root, problem := p.parse(&document{path: p.path, stale: true}, f.text)
	if problem == nil {
		f.root = root
	}
	return f
}
