# Writing files whole or not at all: a power cut or a full disk leaves the old file or the new one, never a part.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

# Beside its place, flushed to the disk, then moved there: a file that is replaced keeps its rights and attributes.
function Write-WholeFile {
    param([string] $Path, [byte[]] $Bytes)
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

# UTF-8 without a byte order mark.
function Write-WholeText {
    param([string] $Path, [string] $Text)
    $bytes = (New-Object -TypeName System.Text.UTF8Encoding -ArgumentList $false).GetBytes($Text)
    Write-WholeFile -Path $Path -Bytes $bytes
}
