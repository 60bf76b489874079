# The loop of a real PowerShell that runs scripts for a modelled machine (real-machine.ts).
param([int] $Port, [string] $Source)
$ErrorActionPreference = 'Stop'

# Before the machine's own: what is imported last comes first, and the machine has a Start-Sleep.
Import-Module -Name Microsoft.PowerShell.Management, Microsoft.PowerShell.Utility, Microsoft.PowerShell.Security

# Compiled once for all processes: that takes longer than all else at their start.
$compiled = [System.IO.Path]::ChangeExtension($Source, '.dll')
if (-not (Test-Path -LiteralPath $compiled)) {
    $own = "$compiled.$([guid]::NewGuid())"
    Add-Type -TypeDefinition (Get-Content -LiteralPath $Source -Raw) -OutputAssembly $own `
        -IgnoreWarnings -WarningAction SilentlyContinue
    Move-Item -LiteralPath $own -Destination $compiled -Force
}
$assembly = [System.Reflection.Assembly]::LoadFrom($compiled)
$module = $null
$model = $assembly.GetType('Rehearsed.Model')
$statements = $assembly.GetType('Rehearsed.Statements')
$accelerators = [psobject].Assembly.GetType('System.Management.Automation.TypeAccelerators')
$shadows = $assembly.GetType('Rehearsed.Generated')::Shadows
# PowerShell's own names come first.
$builtin = $accelerators.GetField('builtinTypeAccelerators', 'NonPublic, Static').GetValue($null)
foreach ($name in $shadows.Keys) {
    $null = $builtin.Remove($name)
    $accelerators::Add($name, $shadows[$name])
    $accelerators::Add("System.$name", $shadows[$name])
}
Remove-PSDrive -Name HKLM
$null = New-Item -Path HKCU:\kindows -Force
$null = New-PSDrive -Name HKLM -PSProvider Registry -Root 'HKEY_CURRENT_USER\kindows' -Scope Global
function global:Out-Host {
    param([Parameter(ValueFromPipeline = $true)] $InputObject)
    process { $model::Tell('emit', $InputObject) }
}
# Named pipes are not on the drive.
function global:Test-Path {
    [CmdletBinding(DefaultParameterSetName = 'Path')]
    param(
        [Parameter(ParameterSetName = 'Path', Mandatory = $true, Position = 0)] [AllowNull()] [AllowEmptyString()]
        [AllowEmptyCollection()] [string[]] $Path,
        [Parameter(ParameterSetName = 'LiteralPath', Mandatory = $true)] [AllowNull()] [AllowEmptyString()]
        [AllowEmptyCollection()] [string[]] $LiteralPath,
        [Microsoft.PowerShell.Commands.TestPathType] $PathType,
        [switch] $IsValid
    )
    if ("$LiteralPath$Path" -like '\\.\pipe\*') { $model::IsPipe(("$LiteralPath$Path" -replace '^.*\\')) }
    else { Microsoft.PowerShell.Management\Test-Path @PSBoundParameters }
}
# A running program can be renamed and not removed; Wine knows no such file.
function global:Remove-Item {
    [CmdletBinding()]
    param([Parameter(Mandatory = $true)] [string] $LiteralPath, [switch] $Recurse, [switch] $Force)
    if ($LiteralPath -like 'C:\*' -and $model::IsRunning($LiteralPath)) {
        $refused = New-Object -TypeName System.UnauthorizedAccessException -ArgumentList "Access to the path '$LiteralPath' is denied."
        Write-Error -Exception $refused -ErrorId 'RemoveFileSystemItemUnAuthorizedAccess' -Category PermissionDenied
        return
    }
    Microsoft.PowerShell.Management\Remove-Item @PSBoundParameters
}
$model::Connect($Port)

$cmdlets = ''

while ($true) {
    $run = $model::Next()
    $PSVersionTable['PSVersion'] = [Version]$run.Version
    if ($cmdlets -ne ($run.Cmdlets -join ' ')) {
        if ($null -ne $module) { Remove-Module -ModuleInfo $module }
        $module = Import-Module -Assembly $assembly -PassThru -Cmdlet $run.Cmdlets
        $cmdlets = $run.Cmdlets -join ' '
    }
    Set-Location -LiteralPath C:\
    $global:LASTEXITCODE = 0
    $code = 0
    foreach ($path in $run.Watch) { $statements::Watch($path, $Host.Runspace.Debugger) }
    $ErrorActionPreference = 'Continue'
    try {
        & ([scriptblock]::Create($run.Text)) 2>&1 | ForEach-Object {
            if ($_ -is [System.Management.Automation.ErrorRecord]) { $model::Tell('error', "$_`n") }
            else { $model::Tell('emit', $_) }
        }
        $code = $global:LASTEXITCODE
    }
    catch {
        $model::Tell('error', "$($_.Exception.Message)`n")
        $code = 1
    }
    $ErrorActionPreference = 'Stop'
    $statements::TellRun($Host.Runspace.Debugger)
    $model::Ended($code)
}
