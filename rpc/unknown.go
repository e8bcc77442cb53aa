package rpc

import (
	"maps"
	"reflect"
	"slices"
	"strings"
)

// UnknownMembers are what this version does not know of one object.
type UnknownMembers struct {
	Path  string   // of the object: "settings.trust"
	Names []string // sorted
	Known []string // what else it may have
}

// FindUnknown gives what is unknown in a value that was read and is called
// path, inner objects first.
func FindUnknown(path string, value any) []UnknownMembers {
	return findUnknown(nil, path, reflect.ValueOf(value))
}

func findUnknown(found []UnknownMembers, path string, v reflect.Value) []UnknownMembers {
	for v.Kind() == reflect.Pointer {
		v = v.Elem() // of nil it is no struct
	}
	if v.Kind() != reflect.Struct {
		return found
	}
	here := UnknownMembers{Path: path}
	for field, member := range v.Fields() {
		if unknown, ok := member.Interface().(Unknown); ok {
			here.Names = slices.Sorted(maps.Keys(unknown))
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		here.Known = append(here.Known, name)
		found = findUnknown(found, path+"."+name, member)
	}
	if len(here.Names) == 0 {
		return found
	}
	return append(found, here)
}
