// The names of Go's library that an object of unknown type may have: go run go.go > ../src/data/go/library.txt
//
// What is declared before everything, and the exported methods of packages whose values are handed around. Made with the
// sources of Go 1.19.
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
	var sorted []string
	for name := range names {
		sorted = append(sorted, name)
	}
	sort.Strings(sorted)
	fmt.Println(strings.Join(sorted, "\n"))
}
