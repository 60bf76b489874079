# A kube-proxy.exe of the user's. It runs in the container of the DaemonSet, whose start script prefers it to the one of
# the image.

# Ends kube-proxy, so that the kubelet starts its container again, with another program.
function Stop-KubeProxy {
    foreach ($process in @(Get-Process | Where-Object { $_.ProcessName -eq 'kube-proxy' })) { $process.Kill() }
}

# Installs it, or removes that of an earlier run if there is no medium. One that the user has deployed stays until
# another is to be installed. Returns installed, media, deployed, or none.
function Install-OwnKubeProxy {
    param([string] $Medium, [string] $Checksum, [string] $Releases)
    $path = 'C:\k\kube-proxy.exe'
    if ($Medium -ne '') {
        $from = Install-Program -Path $path -Medium $Medium -Checksum $Checksum -Version $Releases `
            -VersionArgument '--version'
        if ($from -eq 'media') { Stop-KubeProxy }
        return $from
    }
    if (Test-Path -LiteralPath "$path.before") {
        # What was installed before it, if anything, is none of the settings' any more.
        $null = Set-WholeText -Path "$path.before" -Text ''
        return 'deployed'
    }
    if (Test-Path -LiteralPath "$path.checked") {
        foreach ($file in $path, "$path.checked") {
            if (Test-Path -LiteralPath $file) { Move-FileIntoPlace -Source $file -Target "$file.replaced" }
        }
        Stop-KubeProxy
    }
    'none'
}
