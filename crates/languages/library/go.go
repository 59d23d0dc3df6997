// The names of Go's library:
//
//	go run go.go > ../src/data/go/library.txt             those that an object of unknown type may have
//	go run go.go standard > ../src/data/go/standard.txt   all exported ones, and what packages are called
//	go run go.go modules > ../src/data/go/modules.txt     what paths of packages begin with
//
// The first are what is declared before everything, and the exported methods of packages whose values are handed around. Made with
// the sources of Go 1.19.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"strings"
)

var packages = []string{"bufio", "bytes", "context", "errors", "fmt", "io", "sort", "strings", "sync", "time"}

func main() {
	names := map[string]bool{}
	add := func(name string) {
		if ast.IsExported(name) {
			names[name] = true
		}
	}
	parse := func(path string) map[string]*ast.Package {
		isCode := func(file os.FileInfo) bool { return !strings.HasSuffix(file.Name(), "_test.go") }
		parsed, err := parser.ParseDir(token.NewFileSet(), filepath.Join(runtime.GOROOT(), "src", path), isCode, 0)
		if err != nil {
			panic(err)
		}
		return parsed
	}
	for _, one := range parse("builtin") {
		for _, file := range one.Files {
			for _, declaration := range file.Decls {
				switch it := declaration.(type) {
				case *ast.FuncDecl:
					names[it.Name.Name] = true
				case *ast.GenDecl:
					for _, spec := range it.Specs {
						switch spec := spec.(type) {
						case *ast.TypeSpec:
							names[spec.Name.Name] = true
						case *ast.ValueSpec:
							for _, name := range spec.Names {
								names[name.Name] = true
							}
						}
					}
				}
			}
		}
	}
	for _, path := range packages {
		for _, one := range parse(path) {
			for _, file := range one.Files {
				for _, declaration := range file.Decls {
					if it, ok := declaration.(*ast.FuncDecl); ok && it.Recv != nil {
						add(it.Name.Name)
					}
					ast.Inspect(declaration, func(node ast.Node) bool {
						if it, ok := node.(*ast.InterfaceType); ok {
							for _, method := range it.Methods.List {
								for _, name := range method.Names {
									add(name.Name)
								}
							}
						}
						return true
					})
				}
			}
		}
	}
	names["Error"] = true
	switch strings.Join(os.Args[1:], " ") {
	case "standard":
		for _, path := range paths() {
			for _, part := range strings.Split(path, "/") {
				names[part] = true
			}
			for _, one := range parse(path) {
				ast.PackageExports(one)
				for _, file := range one.Files {
					ast.Inspect(file, func(node ast.Node) bool {
						switch it := node.(type) {
						case *ast.FuncDecl:
							add(it.Name.Name)
							return false
						case *ast.TypeSpec:
							add(it.Name.Name)
						case *ast.ValueSpec:
							for _, name := range it.Names {
								add(name.Name)
							}
							return false
						case *ast.Field:
							for _, name := range it.Names {
								add(name.Name)
							}
						}
						return true
					})
				}
			}
		}
	case "modules":
		names = map[string]bool{}
		for _, path := range paths() {
			names[strings.Split(path, "/")[0]] = true
		}
	}
	var sorted []string
	for name := range names {
		sorted = append(sorted, name)
	}
	sort.Strings(sorted)
	fmt.Println(strings.Join(sorted, "\n"))
}

// The packages that others may import.
func paths() []string {
	var found []string
	root := filepath.Join(runtime.GOROOT(), "src")
	walk := func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			panic(err)
		}
		inside, _ := filepath.Rel(root, path)
		switch entry.Name() {
		case "internal", "vendor", "testdata", "cmd", "builtin":
			return filepath.SkipDir
		}
		if entry.IsDir() && inside != "." {
			found = append(found, inside)
		}
		return nil
	}
	real, err := filepath.EvalSymlinks(root)
	if err == nil {
		root = real
		err = filepath.WalkDir(root, walk)
	}
	if err != nil {
		panic(err)
	}
	return found
}
