# Arguments of powershell.exe. Scripts call it only with these; commands over SSH: host/ssh/windows-command.ts.

. (Join-Path $PSScriptRoot 'NativeArgument.ps1')

$PowerShellPath = "$env:SystemRoot\System32\WindowsPowerShell\v1.0\powershell.exe"
$PowerShellOptions = '-NoProfile', '-NonInteractive', '-ExecutionPolicy', 'Bypass'

# Runs a script in a process of its own. $Parameter has the script's arguments, e.g. '-Name', 'win-1': only text and
# integers, because -File passes everything as text, of which Windows PowerShell 5.1 makes neither a boolean nor the
# value of a switch (MicrosoftDocs/PowerShell-Docs#4964).
function Get-ScriptCall {
    param([string] $Script, [string[]] $Parameter = @())
    @($PowerShellOptions) + '-File' + $Script + $Parameter
}

# Runs a line of PowerShell without double quotes. Errors end it. The preferences are global, because the modules of
# Windows do not see a script's own.
function Get-LineCall {
    param([string] $Line)
    @($PowerShellOptions) + '-Command' +
    "`$global:ErrorActionPreference = 'Stop'; `$global:ProgressPreference = 'SilentlyContinue'; $Line"
}

# The arguments as one text, for what starts programs by a command line: tasks, and files of cmd.exe.
function Join-CallArgument {
    param([string[]] $Argument)
    ($Argument | ForEach-Object { ConvertTo-NativeArgument -Argument $_ }) -join ' '
}
