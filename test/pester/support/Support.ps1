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

<#
.SYNOPSIS
Makes a stand-in for what Get-Service returns: it remembers how often it was started and stopped.

.PARAMETER Status
Its status.

.PARAMETER StartType
How it starts.

.PARAMETER OnStart
What Start() does, $this being the service. Default: it runs.

.PARAMETER OnStop
What Stop() does. Default: it is stopped.
#>
function New-FakeService {
    [CmdletBinding()]
    param(
        [string] $Status = 'Stopped',

        [string] $StartType = 'Manual',

        [scriptblock] $OnStart = { $this.Starts++; $this.Status = 'Running' },

        [scriptblock] $OnStop = { $this.Stops++; $this.Status = 'Stopped' }
    )

    $service = [pscustomobject]@{ Status = $Status; StartType = $StartType; Starts = 0; Stops = 0 }
    $service | Add-Member -MemberType ScriptMethod -Name Start -Value $OnStart
    $service | Add-Member -MemberType ScriptMethod -Name Stop -Value $OnStop
    $service | Add-Member -MemberType ScriptMethod -Name Refresh -Value { return }
    $service
}

# Cmdlets of Windows that PowerShell on Linux lacks. Pester can mock what exists only, so each gets a stand-in with the
# parameters the scripts use, which fails when it is called unmocked.
$WindowsCmdlets = @{
    'Add-DnsClientNrptRule'      = 'Namespace', 'NameServers', 'Comment'
    'Add-VMDvdDrive'             = 'VM', 'Path'
    'Add-MpPreference'           = 'ExclusionPath', 'ExclusionProcess'
    'Clear-DnsClientCache'       = @()
    'Disable-PnpDevice'          = 'InstanceId', '[switch] Confirm'
    'Get-AppxPackage'            = @('[switch] AllUsers')
    'Get-CimInstance'            = 'ClassName', 'Filter'
    'Get-DnsClientNrptRule'      = @()
    'Get-HnsEndpoint'            = @()
    'Get-HnsNetwork'             = @()
    'Get-HnsPolicyList'          = @()
    'Get-LocalUser'              = @()
    'Get-MpPreference'           = @()
    'Get-NetFirewallRule'        = @('Name')
    'Get-NetIPAddress'           = @('AddressFamily')
    'Get-NetRoute'               = @('PolicyStore')
    'Get-Partition'              = @()
    'Get-Service'                = @('Name')
    'Get-VHD'                    = @('Path')
    'Get-VM'                     = @()
    'Get-VMDvdDrive'             = @('VM')
    'Get-VMHardDiskDrive'        = @('VM')
    'Get-VMHost'                 = @()
    'Get-VMNetworkAdapter'       = @('VM')
    'Get-VMSwitch'               = @()
    'Get-WindowsFeature'         = @('Name')
    'Get-WinEvent'               = 'FilterHashtable', 'MaxEvents'
    'Install-WindowsFeature'     = @('Name')
    'Invoke-CimMethod'           = 'InputObject', 'MethodName', 'Arguments'
    'New-NetFirewallRule'        = @(
        'Name', 'DisplayName', 'Enabled', 'Direction', 'Protocol', 'LocalPort', 'Profile', 'Action'
    )
    'New-NetRoute'               = 'DestinationPrefix', 'InterfaceIndex', 'NextHop'
    'New-ScheduledTaskAction'    = 'Execute', 'Argument'
    'New-ScheduledTaskPrincipal' = 'UserId', 'LogonType', 'RunLevel'
    'New-ScheduledTaskTrigger'   = @('[switch] AtStartup')
    'New-Service'                = 'Name', 'DisplayName', 'Description', 'BinaryPathName', 'StartupType', 'DependsOn'
    'New-VHD'                    = 'Path', 'ParentPath', '[switch] Differencing', 'SizeBytes'
    'New-VM'                     = @(
        'Name', 'Path', 'Generation', 'SwitchName', 'MemoryStartupBytes', 'VHDPath'
    )
    'Register-ScheduledTask'     = 'TaskName', 'Action', 'Principal', 'Trigger', '[switch] Force'
    'Remove-AppxPackage'         = 'Package', '[switch] AllUsers'
    'Remove-DnsClientNrptRule'   = 'Name', '[switch] Force'
    'Remove-HnsEndpoint'         = @()
    'Remove-HnsNetwork'          = @()
    'Remove-MpPreference'        = 'ExclusionPath', 'ExclusionProcess'
    'Remove-NetFirewallRule'     = @('Name')
    'Remove-NetRoute'            = 'DestinationPrefix', 'NextHop', 'PolicyStore', '[switch] Confirm'
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
    'Write-VolumeCache'          = @('DriveLetter')
}
foreach ($cmdlet in $WindowsCmdlets.Keys) {
    if ($null -eq (Get-Command -Name $cmdlet -ErrorAction SilentlyContinue)) {
        $parameters = @($WindowsCmdlets[$cmdlet] | ForEach-Object { $_ -replace '(\w+)$', '$$$1' })
        # The HNS cmdlets take theirs from the pipeline.
        if ($cmdlet -like 'Remove-Hns*') {
            $parameters = @('[Parameter(ValueFromPipeline = $true)] $InputObject')
        }
        $body = "[CmdletBinding()] param($($parameters -join ', ')) process { throw '$cmdlet is not mocked' }"
        Set-Item -Path "function:$cmdlet" -Value ([scriptblock]::Create($body))
    }
}
