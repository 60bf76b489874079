# Files and folders only SYSTEM and Administrators may touch. Everything below C:\ can be read by every user otherwise.

# Well-known identifiers, since the names are translated on a localised Windows: SYSTEM and Administrators.
$ProtectedIdentities = @('S-1-5-18', 'S-1-5-32-544')
# Administrators, not who happens to write: sshd takes no host key that a single user owns (check_secure_file_permission
# in PowerShell/openssh-portable, w32-sshfileperm.c).
$ProtectedOwner = 'S-1-5-32-544'

# $Type is DirectorySecurity or FileSecurity; $Inheritance says what of a folder's content has its rights.
function New-ProtectedAcl {
    param([string] $Type, [string] $Inheritance)
    $acl = New-Object -TypeName "System.Security.AccessControl.$Type"
    $acl.SetAccessRuleProtection($true, $false)
    $acl.SetOwner((New-Object -TypeName System.Security.Principal.SecurityIdentifier -ArgumentList $ProtectedOwner))
    foreach ($identity in $ProtectedIdentities) {
        $sid = New-Object -TypeName System.Security.Principal.SecurityIdentifier -ArgumentList $identity
        $acl.AddAccessRule((New-Object -TypeName System.Security.AccessControl.FileSystemAccessRule -ArgumentList `
                    $sid, 'FullControl', $Inheritance, 'None', 'Allow'))
    }
    $acl
}

# The folder is made where it is missing, and closed with all that is in it.
function Protect-Folder {
    param([string] $Path)
    $acl = New-ProtectedAcl -Type 'DirectorySecurity' -Inheritance 'ContainerInherit, ObjectInherit'
    $null = New-Item -Path $Path -ItemType Directory -Force
    [IO.Directory]::SetAccessControl($Path, $acl)
}

# Never open to anybody but SYSTEM and Administrators, not even while it is written. UTF-8 without a byte order mark.
function Write-ProtectedFile {
    param([string] $Path, [string] $Text)
    $acl = New-ProtectedAcl -Type 'FileSecurity' -Inheritance 'None'
    if (Test-Path -LiteralPath $Path) { Remove-Item -LiteralPath $Path -Force }
    $bytes = (New-Object -TypeName System.Text.UTF8Encoding -ArgumentList $false).GetBytes($Text)
    $stream = New-Object -TypeName System.IO.FileStream -ArgumentList `
        $Path, 'CreateNew', 'FullControl', 'None', 4096, 'None', $acl
    try {
        $stream.Write($bytes, 0, $bytes.Length)
    }
    finally { $stream.Dispose() }
}
