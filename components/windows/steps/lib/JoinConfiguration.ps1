# kubeadm's configuration of a join. JSON is YAML too, and needs no quoting of ours.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

<#
.SYNOPSIS
Takes "name=value:Effect,..." apart into kubeadm's taints.

.PARAMETER Taints
The taints as Join-Node takes them; empty for none.
#>
function ConvertTo-Taint {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [AllowEmptyString()]
        [string] $Taints
    )

    foreach ($taint in $Taints -split ',' | Where-Object { $_ -ne '' }) {
        $pair, $effect = $taint -split ':', 2
        $parts = @($pair -split '=', 2)
        $value = if ($parts.Count -gt 1) { $parts[1] } else { '' }
        [ordered]@{ key = $parts[0]; value = $value; effect = $effect }
    }
}

<#
.SYNOPSIS
Returns a JoinConfiguration (kubeadm.k8s.io/v1beta4, Kubernetes 1.31 and later) as text. It contains the token.

.PARAMETER NodeName
Name of the node.

.PARAMETER ApiServerEndpoint
host:port of the API server.

.PARAMETER CriSocket
Endpoint of the container runtime.

.PARAMETER Taints
Taints as Join-Node takes them; empty for none, not even kubeadm's defaults.

.PARAMETER Secret
What Read-JoinSecret returned.

.PARAMETER TimeoutSeconds
Seconds the join may take. kubeadm gets a third of them to find the cluster: it tries again until then, and only then
says what was wrong, such as an expired token. In its other phases it may wait for as long as the join may take.
#>
function New-JoinConfiguration {
    [CmdletBinding()]
    [OutputType([string])]
    param(
        [Parameter(Mandatory = $true)]
        [string] $NodeName,

        [Parameter(Mandatory = $true)]
        [string] $ApiServerEndpoint,

        [Parameter(Mandatory = $true)]
        [string] $CriSocket,

        [Parameter(Mandatory = $true)]
        [AllowEmptyString()]
        [string] $Taints,

        [Parameter(Mandatory = $true)]
        [pscustomobject] $Secret,

        [Parameter(Mandatory = $true)]
        [int] $TimeoutSeconds
    )

    $limit = "$($TimeoutSeconds)s"
    $discoveryLimit = "$([math]::Floor($TimeoutSeconds / 3))s"
    ConvertTo-Json -Depth 6 -InputObject ([ordered]@{
            apiVersion       = 'kubeadm.k8s.io/v1beta4'
            kind             = 'JoinConfiguration'
            discovery        = [ordered]@{
                bootstrapToken = [ordered]@{
                    apiServerEndpoint = $ApiServerEndpoint
                    token             = $Secret.token
                    caCertHashes      = @($Secret.caCertHashes)
                }
            }
            nodeRegistration = [ordered]@{
                name      = $NodeName
                criSocket = $CriSocket
                taints    = @(ConvertTo-Taint -Taints $Taints)
            }
            timeouts         = [ordered]@{
                discovery          = $discoveryLimit
                tlsBootstrap       = $limit
                kubeletHealthCheck = $limit
            }
        })
}
