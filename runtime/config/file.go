package config

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"unicode/utf16"
	"unicode/utf8"
)

// maxFile bounds a configuration file, in bytes.
const maxFile = 8 << 20

var (
	errTooLarge  = errors.New("larger than 8 MiB")
	errDirectory = errors.New("a directory, not a file")
	errIrregular = errors.New("not a regular file")
)

// readFile reads a whole regular file. It waits for nothing else: a FIFO or a
// device in its place is an error.
func readFile(path string) ([]byte, fs.FileInfo, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	// Opening a device can do things, so it is not even opened.
	if err := readable(info); err != nil {
		return nil, info, err
	}
	f, err := openNow(path)
	if err != nil {
		return nil, info, err
	}
	defer f.Close()
	// It may have been replaced in between.
	if info, err = f.Stat(); err != nil {
		return nil, nil, err
	}
	if err := readable(info); err != nil {
		return nil, info, err
	}
	data := bytes.NewBuffer(make([]byte, 0, info.Size()+bytes.MinRead))
	if _, err := data.ReadFrom(io.LimitReader(f, maxFile+1)); err != nil {
		return nil, info, err
	}
	if data.Len() > maxFile {
		return nil, info, errTooLarge
	}
	return data.Bytes(), info, nil
}

func readable(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return errDirectory
	case !info.Mode().IsRegular():
		return errIrregular
	case info.Size() > maxFile:
		return errTooLarge
	}
	return nil
}

// cause is an error of the file system without the operation and the path,
// which the diagnostic names anyway.
func cause(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}

// decodeText gives a file's text as UTF-8 without a byte order mark. UTF-16 is
// recognised by its mark, or by the zero byte that one of the first two bytes
// of any configuration file in UTF-16 is.
func decodeText(data []byte) ([]byte, *syntaxError) {
	switch {
	case bytes.HasPrefix(data, []byte{0xEF, 0xBB, 0xBF}):
		data = data[3:]
	case bytes.HasPrefix(data, []byte{0xFF, 0xFE}):
		return decodeUTF16(data[2:], binary.LittleEndian)
	case bytes.HasPrefix(data, []byte{0xFE, 0xFF}):
		return decodeUTF16(data[2:], binary.BigEndian)
	case len(data) >= 2 && data[0] != 0 && data[1] == 0:
		return decodeUTF16(data, binary.LittleEndian)
	case len(data) >= 2 && data[0] == 0 && data[1] != 0:
		return decodeUTF16(data, binary.BigEndian)
	}
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			line, column := lineColumn(data, i)
			return nil, &syntaxError{line, column, fmt.Sprintf("byte 0x%02x is not UTF-8: save the file as UTF-8", data[i])}
		}
		i += size
	}
	return data, nil
}

func decodeUTF16(data []byte, order binary.ByteOrder) ([]byte, *syntaxError) {
	if len(data)%2 != 0 {
		return nil, &syntaxError{message: "UTF-16 with half a character at its end: save the file as UTF-8"}
	}
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	return []byte(string(utf16.Decode(units))), nil
}
