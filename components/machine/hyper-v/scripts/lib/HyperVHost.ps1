# Requirements for a Hyper-V host before a machine is made on it.

# Free space for a machine's differencing disk, which starts empty and grows with the images that its node pulls.
$NeededDiskGiB = 20

# Stops the step unless Hyper-V and its PowerShell module are installed, and its service runs.
function Assert-HyperV {
    $service = Get-Service -Name 'vmms' -ErrorAction SilentlyContinue
    if ($null -eq $service) {
        Stop-Step -Code 'FeatureMissing' `
            -Message 'Hyper-V is not installed on this host: it has no service vmms.' `
            -Remedy 'Run there: Install-WindowsFeature -Name Hyper-V -IncludeManagementTools -Restart'
    }
    if ($null -eq (Get-Command -Name 'New-VM' -ErrorAction SilentlyContinue)) {
        Stop-Step -Code 'FeatureMissing' `
            -Message 'The PowerShell module of Hyper-V is not installed on this host: it has no New-VM.' `
            -Remedy 'Run there: Install-WindowsFeature -Name Hyper-V-PowerShell'
    }
    if ([string]$service.Status -ne 'Running') {
        Stop-Step -Code 'ServiceNotRunning' `
            -Message "The service vmms of Hyper-V does not run on this host: it is $($service.Status)." `
            -Remedy 'Run there: Start-Service vmms. If it does not start, look at its event log.'
    }
}

# Returns a text for each reason why this host cannot run the lab's machines.
function Get-HyperVHostProblem {
    param([string] $SwitchName, [string] $BaseDisk, [string] $Folder)
    $switches = @(Get-VMSwitch)
    $named = @($switches | Where-Object { $_.Name -eq $SwitchName })
    if ($named.Count -eq 0) {
        $there = ($switches | ForEach-Object { $_.Name }) -join ', '
        "there is no virtual switch $SwitchName (there are: $there)"
    }
    elseif ([string]$named[0].SwitchType -ne 'External') {
        "the virtual switch $SwitchName is $($named[0].SwitchType), not External, so it is not on the lab's segment"
    }
    if (-not (Test-Path -LiteralPath $BaseDisk)) {
        "there is no disk $BaseDisk"
    }
    else {
        $disk = Get-VHD -Path $BaseDisk
        if ([string]$disk.VhdFormat -ne 'VHDX') {
            "$BaseDisk is a $($disk.VhdFormat), not a VHDX (convert it with Convert-VHD)"
        }
        foreach ($machine in @(Get-VM)) {
            if (@(Get-VMHardDiskDrive -VM $machine | ForEach-Object { $_.Path }) -contains $BaseDisk) {
                "$BaseDisk is the disk of the machine $($machine.Name), which writes to it"
            }
        }
    }
    $drive = $Folder.Substring(0, 2)
    $volume = Get-CimInstance -ClassName Win32_LogicalDisk -Filter "DeviceID='$drive'"
    if ($null -eq $volume) {
        "there is no drive $drive"
    }
    elseif ([math]::Floor($volume.FreeSpace / 1gb) -lt $NeededDiskGiB) {
        $free = [math]::Floor($volume.FreeSpace / 1gb)
        "drive $drive has $free GiB free, but a machine needs $NeededDiskGiB GiB"
    }
}

# Returns a text for each reason why this host cannot run one more machine of this size.
function Get-MachineSizeProblem {
    param([string] $BaseDisk, [int] $Cpus, [int] $MemoryMiB, [int] $DiskGiB)
    $system = Get-CimInstance -ClassName Win32_OperatingSystem
    $free = [math]::Floor($system.FreePhysicalMemory / 1kb)
    if ($free -lt $MemoryMiB) {
        "$free MiB of memory are free, but the machine needs $MemoryMiB MiB"
    }
    $processors = (Get-VMHost).LogicalProcessorCount
    if ($processors -lt $Cpus) {
        "it has $processors logical processors, but the machine needs $Cpus"
    }
    if (Test-Path -LiteralPath $BaseDisk) {
        $size = (Get-VHD -Path $BaseDisk).Size
        if ($size -gt $DiskGiB * 1gb) {
            $large = [math]::Round($size / 1gb, 2)
            "$BaseDisk has $large GiB, so the machine's disk cannot have only $DiskGiB GiB"
        }
    }
}

# Stops the step with all problems, if there are any.
function Assert-NoProblem {
    param([string[]] $Problem)
    if ($Problem.Count -gt 0) {
        Stop-Step -Code 'HostUnsuitable' `
            -Message "This Hyper-V host cannot run the machine: $($Problem -join '; ')." `
            -Remedy 'Change that on the host, or its entry in kindows:hyperVHosts.'
    }
}
