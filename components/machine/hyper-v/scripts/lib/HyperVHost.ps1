# What a Hyper-V host must have before a machine is made on it.

# A machine's disk begins with nothing and grows by what its node pulls.
$NeededDiskGiB = 20

# Stops the step unless Hyper-V and its PowerShell module are there, and its service runs.
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
            -Remedy 'Run there: Start-Service vmms; where it does not start, look at its event log.'
    }
}

# Returns what keeps this host from running the lab's machines, one text each; nothing where all is well.
function Get-HyperVHostProblem {
    param([string] $SwitchName, [string] $BaseDisk, [string] $Folder)
    $switches = @(Get-VMSwitch)
    $named = @($switches | Where-Object { $_.Name -eq $SwitchName })
    if ($named.Count -eq 0) {
        $there = ($switches | ForEach-Object { $_.Name }) -join ', '
        "there is no virtual switch $SwitchName (there are: $there)"
    }
    elseif ([string]$named[0].SwitchType -ne 'External') {
        "the virtual switch $SwitchName is $($named[0].SwitchType), so it is not one segment with anything outside"
    }
    if (-not (Test-Path -LiteralPath $BaseDisk)) {
        "there is no disk $BaseDisk"
    }
    else {
        $disk = Get-VHD -Path $BaseDisk
        if ([string]$disk.VhdFormat -ne 'VHDX') {
            "$BaseDisk is a $($disk.VhdFormat), not a VHDX (Convert-VHD makes one of it)"
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
        "drive $drive has $free GiB free, $NeededDiskGiB GiB are needed for a machine"
    }
}

# Returns what keeps this host from running one more machine of a size, one text each; nothing where all is well.
function Get-MachineSizeProblem {
    param([string] $BaseDisk, [int] $Cpus, [int] $MemoryMiB, [int] $DiskGiB)
    $system = Get-CimInstance -ClassName Win32_OperatingSystem
    $free = [math]::Floor($system.FreePhysicalMemory / 1kb)
    if ($free -lt $MemoryMiB) {
        "$free MiB of memory are free, the machine needs $MemoryMiB MiB"
    }
    $processors = (Get-VMHost).LogicalProcessorCount
    if ($processors -lt $Cpus) {
        "it has $processors logical processors, the machine is to have $Cpus"
    }
    if (Test-Path -LiteralPath $BaseDisk) {
        $size = (Get-VHD -Path $BaseDisk).Size
        if ($size -gt $DiskGiB * 1gb) {
            $large = [math]::Round($size / 1gb, 2)
            "$BaseDisk is $large GiB large, the machine's disk of $DiskGiB GiB cannot be smaller"
        }
    }
}

# Stops the step where anything keeps the host from running machines; with all there is.
function Assert-NoProblem {
    param([string[]] $Problem)
    if ($Problem.Count -gt 0) {
        Stop-Step -Code 'HostUnsuitable' `
            -Message "This Hyper-V host cannot run the machine: $($Problem -join '; ')." `
            -Remedy 'Change that on the host, or its entry in kindows:hyperVHosts.'
    }
}
