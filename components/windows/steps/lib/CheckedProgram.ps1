# What a program was found to be, noted beside it: it is neither hashed nor asked again as long as it is the same file.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

. (Join-Path $PSScriptRoot 'WholeFile.ps1')

# Length and time of the last change stand for the content, as with make and rsync: who replaces the program changes
# them.
function Get-ProgramNote {
    param([string] $Path, [string] $Checksum, [string] $Version = '')
    if (-not (Test-Path -LiteralPath $Path -PathType Leaf)) {
        return ''
    }
    $file = Get-Item -LiteralPath $Path -Force
    $Checksum.ToLowerInvariant(), $Version, $file.Length, $file.LastWriteTimeUtc.Ticks -join ' '
}

function Test-CheckedProgram {
    param([string] $Path, [string] $Checksum, [string] $Version = '')
    $note = Get-ProgramNote -Path $Path -Checksum $Checksum -Version $Version
    $note -ne '' -and (Test-Path -LiteralPath "$Path.checked") -and
    [IO.File]::ReadAllText("$Path.checked") -ceq $note
}

# Once it is on the disk: after a power cut its length alone would say nothing.
function Save-CheckedProgram {
    param([string] $Path, [string] $Checksum, [string] $Version = '')
    Write-DriveCache
    Write-WholeText -Path "$Path.checked" `
        -Text (Get-ProgramNote -Path $Path -Checksum $Checksum -Version $Version)
}
