# A machine of a lab on Hyper-V: its files, its beginning and its end. Its mark and its file names: LabMark.ps1.

$IdentityFile = 'identity.iso'

# Makes the folder of a machine with its mark and its identity disc, and its disk on top of the image's.
function New-MachineSite {
    param([string] $Site, [string] $Owner, [string] $Making, [string] $BaseDisk, [int] $DiskGiB, [byte[]] $Identity)
    $null = New-Item -ItemType Directory -Path $Site -Force
    [IO.File]::WriteAllText((Join-Path $Site $MarkFile), "kindows owner=$Owner making=$Making`r`n")
    [IO.File]::WriteAllBytes((Join-Path $Site $IdentityFile), $Identity)
    $null = New-VHD -Path (Join-Path $Site $DiskFile) -ParentPath $BaseDisk -Differencing -SizeBytes ($DiskGiB * 1gb)
}

# Makes a machine of what lies in its folder, off. Its notes come last: a machine that has them is whole.
function New-OwnMachine {
    param([string] $MachineName, [string] $Folder, [string] $Note, [int] $Generation, [bool] $SecureBoot,
        [string] $SwitchName, [string] $MacAddress, [int] $Cpus, [int] $MemoryMiB)
    $site = Join-Path $Folder $MachineName
    $machine = New-VM -Name $MachineName -Path $Folder -Generation $Generation -SwitchName $SwitchName `
        -MemoryStartupBytes ($MemoryMiB * 1mb) -VHDPath (Join-Path $site $DiskFile)
    # kubelet counts on memory that stays, and a checkpoint would bring back a node that the cluster knows no more.
    Set-VM -VM $machine -StaticMemory -ProcessorCount $Cpus -CheckpointType Disabled `
        -AutomaticStartAction Start -AutomaticStopAction ShutDown
    # Pods of an l2bridge network send with addresses of their own through this adapter.
    Set-VMNetworkAdapter -VM $machine -StaticMacAddress $MacAddress -MacAddressSpoofing On
    $drives = @(Get-VMDvdDrive -VM $machine)
    if ($drives.Count -eq 0) {
        Add-VMDvdDrive -VM $machine -Path (Join-Path $site $IdentityFile)
    }
    else {
        # Generation 1 comes with an empty one.
        Set-VMDvdDrive -VMDvdDrive $drives[0] -Path (Join-Path $site $IdentityFile)
    }
    if ($Generation -eq 2) {
        $state = if ($SecureBoot) { 'On' } else { 'Off' }
        Set-VMFirmware -VM $machine -EnableSecureBoot $state -FirstBootDevice @(Get-VMHardDiskDrive -VM $machine)[0]
    }
    Set-VM -VM $machine -Notes $Note
}

# Starts a machine that is off or saved; whether it was.
function Start-OwnMachine {
    param([object] $Machine)
    $stands = @('Off', 'Saved') -contains [string]$Machine.State
    if ($stands) {
        Start-VM -VM $Machine
    }
    $stands
}

# Ends a machine at once and removes it, but none of its files.
function Remove-OwnMachine {
    param([object] $Machine)
    if ([string]$Machine.State -ne 'Off') {
        Stop-VM -VM $Machine -TurnOff -Force
    }
    Remove-VM -VM $Machine -Force
}

# Removes the folder of a machine that is Owner's; whether there was one. Its mark goes last, so that what a killed
# run leaves is still known. Hyper-V lets go of a machine's files some time after the machine is gone.
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
                    -Remedy 'End what has a file there open (a backup, a virus scanner), then run again.'
            }
            Start-Sleep -Seconds 2
        }
    }
}
