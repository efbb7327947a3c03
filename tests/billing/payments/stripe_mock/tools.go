//go:build tools

// Names the program for go.mod; never compiled.
package tools

import _ "github.com/stripe/stripe-mock"
