# Writes files atomically: after a power cut or with a full disk there is either the old file or the new one.

. (Join-Path $PSScriptRoot 'ProtectedFile.ps1')

# Writes a temporary file, flushes it, then moves it. A replaced file keeps its permissions and attributes.
function Write-WholeFile {
    param([string] $Path, [byte[]] $Bytes)
    $folder = Split-Path -Path $Path
    if (-not (Test-Path -LiteralPath $folder)) { Protect-Folder -Path $folder -UsersRead $true }
    $stream = New-Object -TypeName System.IO.FileStream -ArgumentList "$Path.new", 'Create', 'Write', 'None'
    try {
        $stream.Write($Bytes, 0, $Bytes.Length)
        $stream.Flush($true)
    }
    finally { $stream.Dispose() }
    if (Test-Path -LiteralPath $Path) {
        # A plain $null would be passed as an empty string.
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

function Read-WholeText {
    param([string] $Path)
    if (Test-Path -LiteralPath $Path) { [IO.File]::ReadAllText($Path) } else { '' }
}

function Set-WholeText {
    param([string] $Path, [string] $Text)
    if ((Read-WholeText -Path $Path) -ceq $Text) { return $false }
    Write-WholeText -Path $Path -Text $Text
    $true
}

# A record is one JSON object in a file below C:\kindows\state, for information that must survive a step, a boot or a
# power cut.
function Save-Record {
    param([string] $Path, [System.Collections.IDictionary] $Record)
    Write-WholeText -Path $Path -Text (ConvertTo-Json -InputObject $Record -Compress)
}

# Returns nothing if there is no record, or if it is empty or incomplete.
function Read-Record {
    param([string] $Path)
    $text = Read-WholeText -Path $Path
    if ($text -match '^\{.*\}$') { ConvertFrom-Json -InputObject $text }
}

function Remove-Record {
    param([string] $Path)
    if (Test-Path -LiteralPath $Path) { Remove-Item -LiteralPath $Path -Force }
}
