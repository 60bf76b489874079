# What a program was found to be, noted beside it: it is neither hashed nor asked again as long as it is the same file.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

. (Join-Path $PSScriptRoot 'WholeFile.ps1')

<#
.SYNOPSIS
Returns what the note beside a program says if that program has been checked; empty where there is none.

.DESCRIPTION
Length and time of the last change stand for the content, as with make and rsync: who replaces the program changes them.

.PARAMETER Path
Full path of the program.

.PARAMETER Checksum
Its SHA-256, in either case.

.PARAMETER Version
Version it has said, without a leading v. Empty: it is not asked.
#>
function Get-ProgramNote {
    [CmdletBinding()]
    [OutputType([string])]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Path,

        [Parameter(Mandatory = $true)]
        [string] $Checksum,

        [string] $Version = ''
    )

    if (-not (Test-Path -LiteralPath $Path -PathType Leaf)) {
        return ''
    }
    $file = Get-Item -LiteralPath $Path -Force
    $Checksum.ToLowerInvariant(), $Version, $file.Length, $file.LastWriteTimeUtc.Ticks -join ' '
}

<#
.SYNOPSIS
Tells whether a program has been checked, and is the same file still.

.PARAMETER Path
Full path of the program.

.PARAMETER Checksum
Its SHA-256, in either case.

.PARAMETER Version
Version it has said, without a leading v. Empty: it is not asked.
#>
function Test-CheckedProgram {
    [CmdletBinding()]
    [OutputType([bool])]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Path,

        [Parameter(Mandatory = $true)]
        [string] $Checksum,

        [string] $Version = ''
    )

    $note = Get-ProgramNote -Path $Path -Checksum $Checksum -Version $Version
    $note -ne '' -and (Test-Path -LiteralPath "$Path.checked") -and
    [IO.File]::ReadAllText("$Path.checked") -ceq $note
}

<#
.SYNOPSIS
Notes that a program has been checked, once it is on the disk: after a power cut its length alone would say nothing.

.PARAMETER Path
Full path of the program.

.PARAMETER Checksum
Its SHA-256, in either case.

.PARAMETER Version
Version it has said, without a leading v. Empty: it is not asked.
#>
function Save-CheckedProgram {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Path,

        [Parameter(Mandatory = $true)]
        [string] $Checksum,

        [string] $Version = ''
    )

    Write-DriveCache
    Write-WholeText -Path "$Path.checked" `
        -Text (Get-ProgramNote -Path $Path -Checksum $Checksum -Version $Version)
}
