// Package hcsshim names the package whose own tests judge the rehearsal's model of HNS.
package hcsshim

import _ "github.com/Microsoft/hcsshim/hcn"
