# What a node leaves on a machine, and its removal: folders, networks in Windows' Host Networking Service, environment,
# registry, Defender.

$NodeFolders = @(
    'C:\k'
    'C:\etc\kubernetes'
    'C:\etc\cni'
    'C:\etc\calico'
    'C:\etc\kube-flannel'
    'C:\opt\cni'
    'C:\var\lib\kubelet'
    'C:\run\flannel'
    'C:\var\lib\calico'
    'C:\var\lib\cni'
    'C:\var\run\calico'
    'C:\var\log\kubelet'
    'C:\var\log\containerd'
    'C:\var\log\pods'
    'C:\var\log\containers'
    'C:\var\log\calico'
    'C:\var\log\flanneld'
    'C:\var\log\hybrid-overlay'
    'C:\Program Files\containerd'
    'C:\ProgramData\containerd'
    'C:\kindows\state'
)
# They go too when nothing is left in them, the innermost first.
$NodeParentFolders = @('C:\var\lib', 'C:\var\log', 'C:\var\run', 'C:\var', 'C:\etc', 'C:\opt', 'C:\run')

# Links in it are removed themselves: what they lead to may be a pod's data.
function Remove-FolderTree {
    param([string] $Path)
    # Not Remove-Item: that of Windows PowerShell 5.1 goes into links. The caller looks whether the folder is gone: what
    # keeps one, such as paths too long for it (3, 206), must not keep the others from being removed.
    $null = Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\cmd.exe" -TimeoutSeconds 300 -Remedy 'Run again.' `
        -ArgumentList '/d', '/c', 'rd', '/s', '/q', $Path -SuccessExitCodes 0, 1, 2, 3, 5, 32, 145, 206
}

function Remove-NodeFolder {
    param([string[]] $Keep = @())
    $left = @()
    foreach ($path in $NodeFolders | Where-Object { $Keep -notcontains $_ -and (Test-Path -LiteralPath $_) }) {
        Remove-FolderTree -Path $path
        if (Test-Path -LiteralPath $path) {
            # Files of an image's layers belong to TrustedInstaller.
            $null = Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\takeown.exe" -TimeoutSeconds 300 `
                -ArgumentList '/F', $path, '/A', '/R', '/D', 'Y', '/SKIPSL' -SuccessExitCodes 0, 1 -Remedy 'Run again.'
            $null = Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\icacls.exe" -TimeoutSeconds 300 `
                -ArgumentList $path, '/reset', '/T', '/C', '/L', '/Q' -SuccessExitCodes 0, 1, 5 -Remedy 'Run again.'
            Remove-FolderTree -Path $path
        }
        if (Test-Path -LiteralPath $path) { $left += $path }
        else { "folder $path" }
    }
    foreach ($path in $NodeParentFolders | Where-Object { Test-Path -LiteralPath $_ }) {
        if (@(Get-ChildItem -LiteralPath $path -Force).Count -eq 0) { Remove-Item -LiteralPath $path -Force }
    }
    if ($left.Count -gt 0) {
        Stop-Step -Code 'ResetFailed' -Remedy 'Reboot the machine, which ends whatever holds them, then run again.' `
            -Message "in use or not ours to remove: $($left -join ', ')"
    }
}

# Calico's own, by the names its scripts give them, Flannel's and OVN's; External is the one they and
# Confirm-ExternalNetwork put on the adapter.
$NodeNetworkPattern = '^(External|Calico.*|calico.*|cbr0|flannel\.[0-9]+|vxlan0|(Base)?OVNKubernetes.*)$'

# The last of them may cut the machine off for some seconds: this goes on meanwhile, and Windows' default network "nat"
# stays.
function Remove-NodeNetwork {
    # Without Containers there is no HNS.
    if ($null -eq (Get-Command -Name 'Get-HnsNetwork' -ErrorAction SilentlyContinue)) { return }
    # Where HNS has none, its module may give one $null.
    $networks = @(Get-HnsNetwork -ErrorAction Stop |
            Where-Object { $null -ne $_ -and $_.Name -match $NodeNetworkPattern })
    $ids = @($networks | ForEach-Object { $_.ID })
    if ($ids.Count -eq 0) { return }
    # Endpoints go while this runs, with their pods: one that is gone already is no error.
    $endpoints = @(Get-HnsEndpoint -ErrorAction Stop |
            Where-Object { $null -ne $_ -and $ids -contains $_.VirtualNetwork })
    foreach ($endpoint in $endpoints) { $endpoint | Remove-HnsEndpoint -ErrorAction Continue }
    # External last: it is the one that holds the machine's own adapter.
    $left = @()
    foreach ($network in @($networks | Sort-Object -Property { $_.Name -eq 'External' })) {
        try {
            $network | Remove-HnsNetwork -ErrorAction Stop
            "network $($network.Name)"
        }
        catch { $left += "$($network.Name): $($_.Exception.Message)" }
    }
    if ($left.Count -gt 0) {
        Stop-Step -Code 'ResetFailed' -Remedy 'Reboot the machine, then run again.' -Message ($left -join '; ')
    }
}

# Calico's scripts set them.
function Remove-NodeVariable {
    foreach ($name in @([Environment]::GetEnvironmentVariables('Machine').Keys)) {
        if ($name -match '^(CALICO_|FELIX_|KUBE_NETWORK$|IP_AUTODETECTION_METHOD$)') {
            [Environment]::SetEnvironmentVariable($name, $null, 'Machine')
            "variable $name"
        }
    }
}

function Remove-CalicoRegistryKey {
    $key = 'HKLM:\Software\Tigera'
    if (Test-Path -LiteralPath $key) {
        Remove-Item -LiteralPath $key -Recurse -Force
        "registry key $key"
    }
}

function Remove-NodeExclusion {
    param([string[]] $Folder)
    # Defender is a feature that may be gone.
    if ($null -eq (Get-Command -Name 'Get-MpPreference' -ErrorAction SilentlyContinue)) { return }
    $ours = {
        param($path)
        @($Folder | Where-Object { $path -eq $_ -or $path -like "$_\*" }).Count -gt 0
    }
    try {
        $preference = Get-MpPreference -ErrorAction Stop
    }
    catch {
        # One that is switched off answers nothing, took none either, and keeps nothing else from being removed.
        Write-StepProgress -Message "Defender does not tell its exclusions: $($_.Exception.Message)"
        return
    }
    foreach ($path in @($preference.ExclusionPath) | Where-Object { $_ -and $ours.Invoke($_)[0] }) {
        Remove-MpPreference -ExclusionPath $path -ErrorAction Stop
        "Defender's exclusion of $path"
    }
    foreach ($path in @($preference.ExclusionProcess) | Where-Object { $_ -and $ours.Invoke($_)[0] }) {
        Remove-MpPreference -ExclusionProcess $path -ErrorAction Stop
        "Defender's exclusion of $path"
    }
}
