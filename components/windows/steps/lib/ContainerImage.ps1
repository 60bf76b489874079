# Container images of Kubernetes, as containerd's own client sees them: crictl would pull by containerd's proxy only.

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
    if ($TimeoutSeconds -lt 1) { return 'no time was left for it' }
    try {
        # --local: by ctr itself, with the proxy of its environment; by containerd otherwise, which has none.
        $null = Invoke-NativeCommand -FilePath $Ctr -TimeoutSeconds $TimeoutSeconds `
            -ArgumentList '--namespace', $KubernetesNamespace, 'images', 'pull', '--local', $Image `
            -Remedy 'A node pulls it by itself.'
        ''
    }
    catch {
        if (@('CommandFailed', 'CommandTimedOut') -notcontains [string]$_.Exception.Data['StepCode']) { throw }
        # ctr draws how far it is, line by line: what is wrong stands at the end.
        $plain = $_.Exception.Message -replace '\x1b\[[0-9;]*[A-Za-z]', ' '
        $words = ($plain -replace '[^\x21-\x7e]+', ' ').Trim()
        if ($words.Length -gt 300) { $words = '...' + $words.Substring($words.Length - 300) }
        $words
    }
}

# Their layers can be removed by containerd only, since files in them belong to TrustedInstaller. Also ends what still
# runs of their containers.
function Remove-NodeImage {
    param([string] $Folder)
    $ctr = Join-Path $Folder 'ctr.exe'
    $service = Get-Service -Name 'containerd' -ErrorAction SilentlyContinue
    if ((Test-Path -LiteralPath $ctr) -and $null -ne $service -and $service.Status -eq 'Running') {
        $remedy = 'Run again; what containerd does not remove is removed with its folders.'
        $list = Invoke-NativeCommand -FilePath $ctr -ArgumentList '--namespace', 'k8s.io', 'images', 'list', '--quiet' `
            -TimeoutSeconds 60 -Remedy $remedy
        $images = @($list -split '\s+' | Where-Object { $_ -ne '' })
        if ($images.Count -gt 0) {
            # Many names at once, but not more than a command line takes.
            for ($first = 0; $first -lt $images.Count; $first += 50) {
                $some = @($images | Select-Object -Skip $first -First 50)
                $null = Invoke-NativeCommand -FilePath $ctr -TimeoutSeconds 180 -Remedy $remedy `
                    -ArgumentList (@('--namespace', 'k8s.io', 'images', 'remove', '--sync') + $some)
            }
            "$($images.Count) container images"
        }
    }
    # A shim outlives containerd, and holds its files.
    foreach ($process in @(Get-Process | Where-Object { $_.ProcessName -eq 'containerd-shim-runhcs-v1' })) {
        $process.Kill()
        "process $($process.ProcessName) ($($process.Id))"
    }
}
