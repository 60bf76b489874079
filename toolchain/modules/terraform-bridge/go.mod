module kindows.dev/toolchain/terraform-bridge

go 1.26

replace github.com/hashicorp/terraform-plugin-sdk/v2 => github.com/pulumi/terraform-plugin-sdk/v2 v2.0.0-20260318212141-5525259d096b

require github.com/pulumi/pulumi-terraform-bridge/v3 v3.136.0 // indirect
