# What the tests share. Dot-sourced in BeforeAll of each file, after Pester has found the tests.

$LibFolder = [IO.Path]::GetFullPath("$PSScriptRoot/../../../components/windows/steps/lib")
$StepsFolder = Split-Path -Path $LibFolder

<#
.SYNOPSIS
Runs a block that must fail as a step fails; returns code, message and remedy.

.PARAMETER Body
The block.
#>
function Get-StepFailure {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [scriptblock] $Body
    )

    $failure = $null
    try {
        $null = & $Body
    }
    catch {
        $failure = $_.Exception
    }
    if ($null -eq $failure) {
        throw 'It was expected to fail, and did not.'
    }
    [pscustomobject]@{
        Code    = [string]$failure.Data['StepCode']
        Message = $failure.Message
        Remedy  = [string]$failure.Data['StepRemedy']
    }
}

<#
.SYNOPSIS
Lays the scripts that make an image out as they are on the CD, with the steps' library in theirs; returns the folder.

.PARAMETER Path
The folder, which is made.
#>
function New-ImageFolder {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Path
    )

    $source = Join-Path (Split-Path -Path $StepsFolder) 'image/scripts'
    Copy-Item -LiteralPath $source -Destination $Path -Recurse
    foreach ($lib in Get-ChildItem -LiteralPath $LibFolder -Filter '*.ps1' -File) {
        Copy-Item -LiteralPath $lib.FullName -Destination (Join-Path $Path 'lib')
    }
    $Path
}

<#
.SYNOPSIS
Lays the scripts for a Hyper-V host out as they are there, with the frame of the steps; returns the folder.

.PARAMETER Path
The folder, which is made.
#>
function New-HyperVFolder {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Path
    )

    $components = Split-Path -Path (Split-Path -Path $StepsFolder)
    Copy-Item -LiteralPath (Join-Path $components 'machine/hyper-v/scripts') -Destination $Path -Recurse
    foreach ($name in 'Step.ps1', 'ExitCodes.ps1', 'SecretRemains.ps1') {
        Copy-Item -LiteralPath (Join-Path $LibFolder $name) -Destination (Join-Path $Path 'lib')
    }
    $Path
}

# Cmdlets of Windows that PowerShell on Linux lacks. Pester can mock what exists only, so each gets a stand-in with the
# parameters the scripts use, which fails when it is called unmocked.
$WindowsCmdlets = @{
    'Add-VMDvdDrive'             = 'VM', 'Path'
    'Disable-PnpDevice'          = 'InstanceId', '[switch] Confirm'
    'Get-AppxPackage'            = @('[switch] AllUsers')
    'Get-CimInstance'            = 'ClassName', 'Filter'
    'Get-LocalUser'              = @()
    'Get-NetFirewallRule'        = @('Name')
    'Get-Partition'              = @()
    'Get-Service'                = @('Name')
    'Get-VHD'                    = @('Path')
    'Get-VM'                     = @()
    'Get-VMDvdDrive'             = @('VM')
    'Get-VMHardDiskDrive'        = @('VM')
    'Get-VMHost'                 = @()
    'Get-VMNetworkAdapter'       = @('VM')
    'Get-VMSwitch'               = @()
    'Install-WindowsFeature'     = @('Name')
    'New-NetFirewallRule'        = @(
        'Name', 'DisplayName', 'Enabled', 'Direction', 'Protocol', 'LocalPort', 'Profile', 'Action'
    )
    'New-ScheduledTaskAction'    = 'Execute', 'Argument'
    'New-ScheduledTaskPrincipal' = 'UserId', 'LogonType', 'RunLevel'
    'New-ScheduledTaskTrigger'   = @('[switch] AtStartup')
    'New-VHD'                    = 'Path', 'ParentPath', '[switch] Differencing', 'SizeBytes'
    'New-VM'                     = @(
        'Name', 'Path', 'Generation', 'SwitchName', 'MemoryStartupBytes', 'VHDPath'
    )
    'Register-ScheduledTask'     = 'TaskName', 'Action', 'Principal', 'Trigger', '[switch] Force'
    'Remove-AppxPackage'         = 'Package', '[switch] AllUsers'
    'Remove-Partition'           = 'DiskNumber', 'PartitionNumber', '[switch] Confirm'
    'Remove-VM'                  = 'VM', '[switch] Force'
    'Rename-Computer'            = 'NewName', '[switch] Force'
    'Set-LocalUser'              = 'InputObject', 'Password', 'PasswordNeverExpires'
    'Set-SConfig'                = @('AutoLaunch')
    'Set-Service'                = 'Name', 'StartupType'
    'Set-VM'                     = @(
        'VM', '[switch] StaticMemory', 'ProcessorCount', 'CheckpointType', 'AutomaticStartAction',
        'AutomaticStopAction', 'Notes'
    )
    'Set-VMDvdDrive'             = 'VMDvdDrive', 'Path'
    'Set-VMFirmware'             = 'VM', 'EnableSecureBoot', 'FirstBootDevice'
    'Set-VMNetworkAdapter'       = 'VM', 'StaticMacAddress', 'MacAddressSpoofing'
    'Start-ScheduledTask'        = @('TaskName')
    'Start-VM'                   = @('VM')
    'Stop-VM'                    = 'VM', '[switch] TurnOff', '[switch] Force'
    'Unregister-ScheduledTask'   = 'TaskName', '[switch] Confirm'
}
foreach ($cmdlet in $WindowsCmdlets.Keys) {
    if ($null -eq (Get-Command -Name $cmdlet -ErrorAction SilentlyContinue)) {
        $parameters = @($WindowsCmdlets[$cmdlet] | ForEach-Object { $_ -replace '(\w+)$', '$$$1' })
        $body = "[CmdletBinding()] param($($parameters -join ', ')) throw '$cmdlet is not mocked'"
        Set-Item -Path "function:$cmdlet" -Value ([scriptblock]::Create($body))
    }
}
