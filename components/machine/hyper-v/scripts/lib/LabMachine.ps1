# Creates, starts and removes a lab's machine on Hyper-V, and its files. LabMark.ps1 has the mark and file names.

$IdentityFile = 'identity.iso'

# Makes the folder of a machine, with the owner's mark, the identity disc and a differencing disk on the image's.
function New-MachineSite {
    param([string] $Site, [string] $Owner, [string] $Making, [string] $BaseDisk, [int] $DiskGiB, [byte[]] $Identity)
    $null = New-Item -ItemType Directory -Path $Site -Force
    [IO.File]::WriteAllText((Join-Path $Site $MarkFile), "kindows owner=$Owner making=$Making`r`n")
    [IO.File]::WriteAllBytes((Join-Path $Site $IdentityFile), $Identity)
    $null = New-VHD -Path (Join-Path $Site $DiskFile) -ParentPath $BaseDisk -Differencing -SizeBytes ($DiskGiB * 1gb)
}

# Makes a machine from the files in its folder, and does not start it. The notes are written last, so that only a
# complete machine has them.
function New-OwnMachine {
    param([string] $MachineName, [string] $Folder, [string] $Note, [int] $Generation, [bool] $SecureBoot,
        [string] $SwitchName, [string] $MacAddress, [int] $Cpus, [int] $MemoryMiB)
    $site = Join-Path $Folder $MachineName
    $machine = New-VM -Name $MachineName -Path $Folder -Generation $Generation -SwitchName $SwitchName `
        -MemoryStartupBytes ($MemoryMiB * 1mb) -VHDPath (Join-Path $site $DiskFile)
    # kubelet needs fixed memory. A checkpoint could restore a node that the cluster no longer has.
    Set-VM -VM $machine -StaticMemory -ProcessorCount $Cpus -CheckpointType Disabled `
        -AutomaticStartAction Start -AutomaticStopAction ShutDown
    # Pods of an l2bridge network send through this adapter with their own MAC addresses.
    Set-VMNetworkAdapter -VM $machine -StaticMacAddress $MacAddress -MacAddressSpoofing On
    $drives = @(Get-VMDvdDrive -VM $machine)
    if ($drives.Count -eq 0) {
        Add-VMDvdDrive -VM $machine -Path (Join-Path $site $IdentityFile)
    }
    else {
        # Generation 1 has an empty DVD drive.
        Set-VMDvdDrive -VMDvdDrive $drives[0] -Path (Join-Path $site $IdentityFile)
    }
    if ($Generation -eq 2) {
        $state = if ($SecureBoot) { 'On' } else { 'Off' }
        Set-VMFirmware -VM $machine -EnableSecureBoot $state -FirstBootDevice @(Get-VMHardDiskDrive -VM $machine)[0]
    }
    Set-VM -VM $machine -Notes $Note
}

# Starts a machine that is off or saved. Returns whether it was.
function Start-OwnMachine {
    param([object] $Machine)
    $isStopped = @('Off', 'Saved') -contains [string]$Machine.State
    if ($isStopped) {
        Start-VM -VM $Machine
    }
    $isStopped
}

# Turns off a machine and removes it, but not its files.
function Remove-OwnMachine {
    param([object] $Machine)
    if ([string]$Machine.State -ne 'Off') {
        Stop-VM -VM $Machine -TurnOff -Force
    }
    Remove-VM -VM $Machine -Force
}

# Removes the folder of a machine if it belongs to Owner. Returns whether it did. The mark is removed last, so that the
# next run recognizes what a killed run leaves. Hyper-V releases a machine's files some time after the machine is gone.
function Remove-MachineSite {
    param([string] $Site, [string] $Owner)
    $mark = Read-SiteMark -Site $Site
    if ($null -eq $mark -or $mark.Owner -ne $Owner) {
        return $false
    }
    $clock = [Diagnostics.Stopwatch]::StartNew()
    while ($true) {
        try {
            Get-ChildItem -LiteralPath $Site |
                Where-Object { $_.Name -ne $MarkFile } |
                ForEach-Object { Remove-Item -LiteralPath $_.FullName -Recurse -Force }
            Remove-Item -LiteralPath $Site -Recurse -Force
            return $true
        }
        catch {
            if ($clock.Elapsed.TotalSeconds -gt 60) {
                Stop-Step -Code 'FileInUse' `
                    -Message "$Site cannot be removed within 60 s: $($_.Exception.Message)" `
                    -Remedy 'End the program that has a file there open (a backup, a virus scanner), then run again.'
            }
            Start-Sleep -Seconds 2
        }
    }
}
