# Writing files whole or not at all: a power cut or a full disk leaves the old file or the new one, never a part.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

<#
.SYNOPSIS
Writes a file whole: beside its place, flushed to the disk, then moved there. Its folder is made where it is missing.

.PARAMETER Path
Full path of the file; one that is there is replaced, and what it had in rights and attributes stays.

.PARAMETER Bytes
Its content.
#>
function Write-WholeFile {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Path,

        [Parameter(Mandatory = $true)]
        [AllowEmptyCollection()]
        [byte[]] $Bytes
    )

    $null = New-Item -Path (Split-Path -Path $Path) -ItemType Directory -Force
    $stream = New-Object -TypeName System.IO.FileStream -ArgumentList "$Path.new", 'Create', 'Write', 'None'
    try {
        $stream.Write($Bytes, 0, $Bytes.Length)
        $stream.Flush($true)
    }
    finally {
        $stream.Dispose()
    }
    if (Test-Path -LiteralPath $Path) {
        # A plain $null would arrive as an empty name.
        [IO.File]::Replace("$Path.new", $Path, [NullString]::Value)
    }
    else {
        [IO.File]::Move("$Path.new", $Path)
    }
}

<#
.SYNOPSIS
Writes a text file whole, as UTF-8 without a byte order mark.

.PARAMETER Path
Full path of the file, as for Write-WholeFile.

.PARAMETER Text
Its content.
#>
function Write-WholeText {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Path,

        [Parameter(Mandatory = $true)]
        [AllowEmptyString()]
        [string] $Text
    )

    $bytes = (New-Object -TypeName System.Text.UTF8Encoding -ArgumentList $false).GetBytes($Text)
    Write-WholeFile -Path $Path -Bytes $bytes
}
