<#
.SYNOPSIS
Runs small scripts, one after the other, and writes what each outputs.

.DESCRIPTION
The scripts see the parameters, so that these have names that no script has.

.PARAMETER __rows
File with a script in each line, as a JSON string.

.PARAMETER __into
File that gets the output of each, in a line, as a JSON string.

.PARAMETER __folder
An empty folder, in which they run. What a script leaves there is removed before the next one runs.
#>
[CmdletBinding()]
param(
    [Parameter(Mandatory = $true)]
    [string] $__rows,

    [Parameter(Mandatory = $true)]
    [string] $__into,

    [Parameter(Mandatory = $true)]
    [string] $__folder
)

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

[Threading.Thread]::CurrentThread.CurrentCulture = [Globalization.CultureInfo]::InvariantCulture
[Threading.Thread]::CurrentThread.CurrentUICulture = [Globalization.CultureInfo]::InvariantCulture

# 7 reads files in UTF-8 where 5.1 and the interpreter read them in Windows' code page.
if ($PSVersionTable.PSVersion.Major -ge 6) { $PSDefaultParameterValues['Get-Content:Encoding'] = 1252 }

if ([IO.Directory]::GetFileSystemEntries($__folder).Length -gt 0) { throw "$__folder is not empty." }
Set-Location -LiteralPath $__folder

$__writer = New-Object -TypeName IO.StreamWriter -ArgumentList $__into
# A row may end the process.
$__writer.AutoFlush = $true

# In a scope of its own, because `catch` leaves $_ behind.
function Invoke-Row {
    try {
        $__script = [scriptblock]::Create((ConvertFrom-Json -InputObject $__row))
        & $__script 2> $null 3> $null | ForEach-Object { $__output.Add([string]$_) }
    }
    catch {
        $__output.Add("unparsed $($_.FullyQualifiedErrorId)")
    }
}

foreach ($__row in [IO.File]::ReadAllLines($__rows)) {
    $__output = New-Object -TypeName Collections.Generic.List[string]
    Invoke-Row
    # A row can make it in these scopes.
    Remove-Variable -Name v -Scope Script -ErrorAction Ignore
    Remove-Variable -Name v -Scope Global -ErrorAction Ignore
    foreach ($__left in [IO.Directory]::GetFileSystemEntries($__folder)) {
        Remove-Item -LiteralPath $__left -Recurse -Force
    }
    $__writer.WriteLine((ConvertTo-Json -Compress -InputObject ($__output -join "`n")))
}
$__writer.Close()
