<#
.SYNOPSIS
Reads paths from standard input and writes, one line each, "right" or what is wrong with the syntax of the file.
#>
[CmdletBinding()]
param()

Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

while ($null -ne ($path = [Console]::In.ReadLine())) {
    $tokens = $null
    $errors = $null
    $null = [System.Management.Automation.Language.Parser]::ParseFile($path, [ref] $tokens, [ref] $errors)
    $texts = @($errors | ForEach-Object { "line $($_.Extent.StartLineNumber): $($_.Message)" })
    [Console]::Out.WriteLine($(if ($texts.Count -eq 0) { 'right' } else { $texts -join ' ' }))
}
