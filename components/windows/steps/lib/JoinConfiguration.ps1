# kubeadm's configuration of a join. JSON is YAML too, and needs no quoting of ours.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

# From "name=value:Effect,...".
function ConvertTo-Taint {
    param([string] $Taints)
    foreach ($taint in $Taints -split ',' | Where-Object { $_ -ne '' }) {
        $pair, $effect = $taint -split ':', 2
        $parts = @($pair -split '=', 2)
        $value = if ($parts.Count -gt 1) { $parts[1] } else { '' }
        [ordered]@{ key = $parts[0]; value = $value; effect = $effect }
    }
}

# For kubeadm.k8s.io/v1beta4, Kubernetes 1.31 and later; it contains the token. kubeadm gets a third of the time to find
# the cluster: it tries again until then, and only then says what was wrong, such as an expired token. In its other
# phases it may wait for as long as the join may take.
function New-JoinConfiguration {
    param(
        [string] $NodeName,
        [string] $ApiServerEndpoint,
        [string] $CriSocket,
        [string] $Taints,
        [pscustomobject] $Secret,
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
