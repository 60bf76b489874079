# Container images: their layers can be removed by containerd only, since files in them belong to TrustedInstaller.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

# Also ends what still runs of their containers.
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
