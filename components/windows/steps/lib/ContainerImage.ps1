# Container images of Kubernetes, as containerd's own client sees them: crictl would pull by containerd's proxy only.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

# containerd keeps kubelet's images apart from others.
$KubernetesNamespace = 'k8s.io'

# Those that are fetched and unpacked. A pull that was cut off leaves a name too.
function Get-WholeImage {
    param([string] $Ctr)
    $list = Invoke-NativeCommand -FilePath $Ctr -TimeoutSeconds 60 `
        -ArgumentList '--namespace', $KubernetesNamespace, 'images', 'check', '--quiet' `
        -Remedy 'Look at C:\var\log\containerd\containerd.log.'
    $list -split '\s+' | Where-Object { $_ -ne '' }
}

# For this Windows; returns why the image could not be pulled, empty when it was.
function Add-Image {
    param([string] $Ctr, [string] $Image, [int] $TimeoutSeconds)
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
