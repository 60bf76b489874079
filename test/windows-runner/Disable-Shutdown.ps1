<#
.SYNOPSIS
Makes the image's scripts on this machine do everything but reboot and run sysprep, either of which would end a runner's job.

.DESCRIPTION
Appends to the scripts' libraries, where a later function replaces an earlier one. A pending reboot does not count. The task
that would start sysprep records as whom it runs, and ends.

.PARAMETER Disc
Folder with the image's scripts. Default: C:\kindows.

.PARAMETER Record
File that the task writes. Default: C:\kindows\runner\sealing.json.
#>
[CmdletBinding()]
param(
    [string] $Disc = 'C:\kindows',

    [string] $Record = 'C:\kindows\runner\sealing.json'
)

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

$ignored = '[Parameter(ValueFromRemainingArguments = $true)] [object[]] $Ignored'
$instead = [ordered]@{
    'PendingReboot.ps1' = [ordered]@{
        'Get-PendingRebootReason' = 'param()'
        'Start-Reboot'            = "param($ignored)`n    throw 'a reboot would end this job'"
    }
    'Sealing.ps1'       = [ordered]@{
        'Invoke-Sysprep' = @"
param($ignored)
    `$identity = [Security.Principal.WindowsIdentity]::GetCurrent()
    `$process = Get-Process -Id `$PID
    `$found = [ordered]@{
        account = `$identity.Name; sid = `$identity.User.Value; session = `$process.SessionId
        priority = [string]`$process.PriorityClass
    }
    [IO.File]::WriteAllText('$Record', (ConvertTo-Json -InputObject `$found -Compress))
"@
    }
}

foreach ($name in $instead.Keys) {
    $library = Join-Path (Join-Path $Disc 'lib') $name
    $text = [IO.File]::ReadAllText($library)
    foreach ($function in $instead[$name].Keys) {
        if ($text -notmatch "(?m)^function $function\b") {
            throw "$library has no function ${function}: look for what reboots or runs sysprep now"
        }
        $text += "`nfunction $function {`n    $($instead[$name][$function])`n}`n"
    }
    [IO.File]::WriteAllText($library, $text)
}
