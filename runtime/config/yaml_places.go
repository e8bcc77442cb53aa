package config

import (
	"bytes"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// yamlPlaces turns the library's positions into lines and columns. The library
// counts columns in characters, and takes for line breaks what editors do not.
type yamlPlaces struct {
	data []byte
	// at is the offset of what the library has at line and column.
	at, line, column int
	// textLine and textStart are the line of at and its offset, as an editor has
	// them.
	textLine, textStart int
}

func newYAMLPlaces(data []byte) *yamlPlaces {
	p := &yamlPlaces{data: data}
	p.restart()
	return p
}

func (p *yamlPlaces) restart() {
	*p = yamlPlaces{data: p.data, line: 1, column: 1, textLine: 1}
	if bytes.HasPrefix(p.data, []byte("\ufeff")) {
		p.at = len("\ufeff")
	}
}

// place puts v, and everything written in it, where it stands. It goes through
// the text once, since the library's nodes are in its order.
func (p *yamlPlaces) place(v *yaml.Node) {
	v.Line, v.Column = p.position(v.Line, v.Column)
	for _, child := range v.Content {
		p.place(child)
	}
}

// position is what the library has at line and column, or 0, 0.
func (p *yamlPlaces) position(line, column int) (textLine, textColumn int) {
	if line == 0 {
		return 0, 0
	}
	if line < p.line || line == p.line && column < p.column {
		p.restart()
	}
	for p.at < len(p.data) && (p.line < line || p.line == line && p.column < column) {
		p.step()
	}
	return p.textLine, p.at - p.textStart + 1
}

// step passes over one character, or both of a line break that has two.
func (p *yamlPlaces) step() {
	r, size := utf8.DecodeRune(p.data[p.at:])
	p.at += size
	p.column++
	if r == '\r' && p.at < len(p.data) && p.data[p.at] == '\n' {
		r = '\n'
		p.at++
	}
	const nextLine, lineSeparator, paragraphSeparator = '\u0085', '\u2028', '\u2029'
	switch r {
	case '\n':
		p.textLine++
		p.textStart = p.at
		fallthrough
	case '\r', nextLine, lineSeparator, paragraphSeparator:
		p.line++
		p.column = 1
	}
}
