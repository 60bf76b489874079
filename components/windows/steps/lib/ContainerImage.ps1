# Container images of Kubernetes, as containerd's own client sees them: crictl would pull by containerd's proxy only.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

# containerd keeps kubelet's images apart from others.
$KubernetesNamespace = 'k8s.io'

<#
.SYNOPSIS
Returns the names of the images that are there whole: fetched and unpacked. A pull that was cut off leaves a name too.

.PARAMETER Ctr
Full path of ctr.exe.
#>
function Get-WholeImage {
    [CmdletBinding()]
    [OutputType([string])]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Ctr
    )

    $list = Invoke-NativeCommand -FilePath $Ctr -TimeoutSeconds 60 `
        -ArgumentList '--namespace', $KubernetesNamespace, 'images', 'check', '--quiet' `
        -Remedy 'Look at C:\var\log\containerd\containerd.log.'
    $list -split '\s+' | Where-Object { $_ -ne '' }
}

<#
.SYNOPSIS
Pulls and unpacks one image for this Windows; returns why it could not be pulled, empty when it was.

.PARAMETER Ctr
Full path of ctr.exe.

.PARAMETER Image
Its name, with registry and tag.

.PARAMETER TimeoutSeconds
Seconds it may take; less than one: it is not tried.
#>
function Add-Image {
    [CmdletBinding()]
    [OutputType([string])]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Ctr,

        [Parameter(Mandatory = $true)]
        [string] $Image,

        [Parameter(Mandatory = $true)]
        [int] $TimeoutSeconds
    )

    if ($TimeoutSeconds -lt 1) {
        return 'no time was left for it'
    }
    try {
        # --local: by ctr itself, with the proxy of its environment; by containerd otherwise, which has none.
        $null = Invoke-NativeCommand -FilePath $Ctr -TimeoutSeconds $TimeoutSeconds `
            -ArgumentList '--namespace', $KubernetesNamespace, 'images', 'pull', '--local', $Image `
            -Remedy 'A node pulls it by itself.'
        ''
    }
    catch {
        if (@('CommandFailed', 'CommandTimedOut') -notcontains [string]$_.Exception.Data['StepCode']) {
            throw
        }
        # ctr draws how far it is, line by line: what is wrong stands at the end.
        $plain = $_.Exception.Message -replace '\x1b\[[0-9;]*[A-Za-z]', ' '
        $words = ($plain -replace '[^\x21-\x7e]+', ' ').Trim()
        if ($words.Length -gt 300) {
            $words = '...' + $words.Substring($words.Length - 300)
        }
        $words
    }
}
