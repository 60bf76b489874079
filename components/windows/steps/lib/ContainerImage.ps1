# Kubernetes' container images, handled with containerd's client ctr. crictl could only pull with containerd's proxy.

# containerd's namespace for kubelet's images.
$KubernetesNamespace = 'k8s.io'

# Returns the images that are complete and unpacked. An interrupted pull leaves a name too.
function Get-WholeImage {
    param([string] $Ctr)
    $list = Invoke-NativeCommand -FilePath $Ctr -TimeoutSeconds 60 `
        -ArgumentList '--namespace', $KubernetesNamespace, 'images', 'check', '--quiet' `
        -Remedy 'Look at C:\var\log\containerd\containerd.log.'
    $list -split '\s+' | Where-Object { $_ -ne '' }
}

# Returns the images that containerd has a name for.
function Get-ImageName {
    param([string] $Ctr, [string] $Remedy)
    $list = Invoke-NativeCommand -FilePath $Ctr -TimeoutSeconds 60 -Remedy $Remedy `
        -ArgumentList '--namespace', $KubernetesNamespace, 'images', 'list', '--quiet'
    $list -split '\s+' | Where-Object { $_ -ne '' }
}

# Pulls the image for this version of Windows. Returns why that failed; empty if it succeeded.
function Add-Image {
    param([string] $Ctr, [string] $Image, [int] $TimeoutSeconds)
    if ($TimeoutSeconds -lt 1) { return 'no time was left for it' }
    try {
        # --local: ctr itself pulls, with the proxy of its environment. Otherwise containerd would, which has no proxy.
        $null = Invoke-NativeCommand -FilePath $Ctr -TimeoutSeconds $TimeoutSeconds `
            -ArgumentList '--namespace', $KubernetesNamespace, 'images', 'pull', '--local', $Image `
            -Remedy 'A node pulls it by itself.'
        ''
    }
    catch {
        if (@('CommandFailed', 'CommandTimedOut') -notcontains [string]$_.Exception.Data['StepCode']) { throw }
        # ctr prints its progress line by line. The error is at the end.
        $plain = $_.Exception.Message -replace '\x1b\[[0-9;]*[A-Za-z]', ' '
        $text = ($plain -replace '[^\x21-\x7e]+', ' ').Trim()
        if ($text.Length -gt 300) { $text = '...' + $text.Substring($text.Length - 300) }
        $text
    }
}

# Imports an archive of images. Returns those of $Image that containerd does not have afterwards.
function Import-ImageArchive {
    param([string] $Archive, [string[]] $Image, [int] $TimeoutSeconds)
    $ctr = "$env:ProgramFiles\containerd\ctr.exe"
    $remedy = 'Look at C:\var\log\containerd\containerd.log.'
    # Not --local: ctr itself reads no compressed archive, containerd does. It stops when ctr is stopped.
    $null = Invoke-NativeCommand -FilePath $ctr -TimeoutSeconds $TimeoutSeconds -Remedy $remedy `
        -ArgumentList '--namespace', $KubernetesNamespace, 'images', 'import', '--no-unpack', $Archive
    $there = @(Get-ImageName -Ctr $ctr -Remedy $remedy)
    $Image | Where-Object { $there -notcontains $_ }
}

# Removes all images, and ends processes of their containers. Only containerd can remove the layers, because files in
# them belong to TrustedInstaller.
function Remove-NodeImage {
    param([string] $Folder)
    $ctr = Join-Path $Folder 'ctr.exe'
    $service = Get-Service -Name 'containerd' -ErrorAction SilentlyContinue
    if ((Test-Path -LiteralPath $ctr) -and $null -ne $service -and $service.Status -eq 'Running') {
        $remedy = 'Run again; what containerd does not remove is removed with its folders.'
        $images = @(Get-ImageName -Ctr $ctr -Remedy $remedy)
        if ($images.Count -gt 0) {
            # In batches, because a command line's length is limited.
            for ($first = 0; $first -lt $images.Count; $first += 50) {
                $some = @($images | Select-Object -Skip $first -First 50)
                $null = Invoke-NativeCommand -FilePath $ctr -TimeoutSeconds 180 -Remedy $remedy `
                    -ArgumentList (@('--namespace', $KubernetesNamespace, 'images', 'remove', '--sync') + $some)
            }
            "$($images.Count) container images"
        }
    }
    # A shim outlives containerd, and keeps its files open.
    foreach ($process in @(Get-Process | Where-Object { $_.ProcessName -eq 'containerd-shim-runhcs-v1' })) {
        $process.Kill()
        "process $($process.ProcessName) ($($process.Id))"
    }
}
