# Removes what a node leaves on a machine: folders, networks in Windows' Host Networking Service, environment variables,
# registry keys and Defender exclusions.

# The claim of an existing machine reads the same list.
$FolderList = ConvertFrom-Json -InputObject ([IO.File]::ReadAllText((Join-Path $PSScriptRoot 'NodeFolders.json')))
$NodeFolders = @($FolderList.folders)
# Removed if they are empty afterwards and were not there before, the innermost first.
$NodeParentFolders = @($FolderList.parents)

# What was in these folders before kindows took the machine, by folder, for those that were there. It stays. The claim
# has recorded it (components/machine/existing/claim.ts).
function Get-FormerEntry {
    $file = 'C:\kindows\claim.json'
    $former = @{}
    if (Test-Path -LiteralPath $file) {
        $record = ConvertFrom-Json -InputObject ([IO.File]::ReadAllText($file))
        foreach ($each in $record.before) { $former[$each.folder] = @($each.entries) }
    }
    $former
}

# Removes links but not their targets, which may be a pod's data.
function Remove-FolderTree {
    param([string] $Path)
    # Not Remove-Item, which follows links in Windows PowerShell 5.1. Failures such as too long paths (3, 206) are
    # accepted, because the caller checks whether the folder is gone, and then continues with the other folders.
    $null = Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\cmd.exe" -TimeoutSeconds 300 -Remedy 'Run again.' `
        -ArgumentList '/d', '/c', 'rd', '/s', '/q', $Path -SuccessExitCodes 0, 1, 2, 3, 5, 32, 145, 206
}

function Remove-NodeFolder {
    param([string[]] $Keep = @())
    $left = @()
    $former = Get-FormerEntry
    $present = @($NodeFolders | Where-Object { $Keep -notcontains $_ -and (Test-Path -LiteralPath $_) })
    $paths = @(
        foreach ($folder in $present) {
            if ($former.ContainsKey($folder)) {
                Get-ChildItem -LiteralPath $folder -Force | Where-Object { $former[$folder] -notcontains $_.Name } |
                    ForEach-Object { $_.FullName }
            }
            else { $folder }
        }
    )
    foreach ($path in $paths) {
        if (Test-Path -LiteralPath $path -PathType Leaf) { Remove-Item -LiteralPath $path -Force; continue }
        Remove-FolderTree -Path $path
        if (Test-Path -LiteralPath $path) {
            # Files in image layers belong to TrustedInstaller.
            $null = Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\takeown.exe" -TimeoutSeconds 300 `
                -ArgumentList '/F', $path, '/A', '/R', '/D', 'Y', '/SKIPSL' -SuccessExitCodes 0, 1 -Remedy 'Run again.'
            $null = Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\icacls.exe" -TimeoutSeconds 300 `
                -ArgumentList $path, '/reset', '/T', '/C', '/L', '/Q' -SuccessExitCodes 0, 1, 5 -Remedy 'Run again.'
            Remove-FolderTree -Path $path
        }
        if (Test-Path -LiteralPath $path) { $left += $path }
        else { "folder $path" }
    }
    $parents = @($NodeParentFolders | Where-Object { -not $former.ContainsKey($_) -and (Test-Path -LiteralPath $_) })
    foreach ($path in $parents) {
        if (@(Get-ChildItem -LiteralPath $path -Force).Count -eq 0) { Remove-Item -LiteralPath $path -Force }
    }
    if ($left.Count -gt 0) {
        Stop-Step -Code 'ResetFailed' -Remedy 'Reboot the machine, which ends whatever holds them, then run again.' `
            -Message "in use or not ours to remove: $($left -join ', ')"
    }
}

# The networks of Calico, as named by its scripts, of Flannel and of OVN-Kubernetes. External is the one on the adapter.
$NodeNetworkPattern = '^(External|Calico.*|calico.*|cbr0|flannel\.[0-9]+|vxlan0|(Base)?OVNKubernetes.*)$'

# Removing the last network may disconnect the machine for some seconds, in which this continues. Windows' default
# network "nat" stays.
function Remove-NodeNetwork {
    # Without the feature Containers there is no HNS.
    if ($null -eq (Get-Command -Name 'Get-HnsNetwork' -ErrorAction SilentlyContinue)) { return }
    # Without any network, Get-HnsNetwork may return a single $null.
    $networks = @(Get-HnsNetwork -ErrorAction Stop |
            Where-Object { $null -ne $_ -and $_.Name -match $NodeNetworkPattern })
    $ids = @($networks | ForEach-Object { $_.ID })
    if ($ids.Count -eq 0) { return }
    # Endpoints may disappear with their pods while this runs, so a missing one is not an error.
    $endpoints = @(Get-HnsEndpoint -ErrorAction Stop |
            Where-Object { $null -ne $_ -and $ids -contains $_.VirtualNetwork })
    foreach ($endpoint in $endpoints) { $endpoint | Remove-HnsEndpoint -ErrorAction Continue }
    # External last, because it is on the machine's own adapter.
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

# Removes the variables that Calico's scripts set.
function Remove-NodeVariable {
    foreach ($name in [Environment]::GetEnvironmentVariables('Machine').Keys | Sort-Object) {
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
    # Defender is a feature that may not be installed.
    if ($null -eq (Get-Command -Name 'Get-MpPreference' -ErrorAction SilentlyContinue)) { return }
    $ours = {
        param($path)
        @($Folder | Where-Object { $path -eq $_ -or $path -like "$_\*" }).Count -gt 0
    }
    try {
        $preference = Get-MpPreference -ErrorAction Stop
    }
    catch {
        # If Defender is turned off, the query fails. It has no exclusions then, so this is not an error.
        Write-StepProgress -Message "Defender's exclusions could not be read: $($_.Exception.Message)"
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
