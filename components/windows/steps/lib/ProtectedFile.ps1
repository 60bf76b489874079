# Files and folders that only SYSTEM and Administrators can access or, with $UsersRead, only they can change. By default
# every user can read everything below C:\, and put files and folders into the folders there, on a Windows Server too.

# SIDs of SYSTEM and Administrators, because their names are translated on a localised Windows.
$ProtectedIdentities = @('S-1-5-18', 'S-1-5-32-544')
# Users.
$UsersIdentity = 'S-1-5-32-545'
# Administrators, not the account that writes, because sshd refuses a host key that a single user owns
# (check_secure_file_permission in PowerShell/openssh-portable, w32-sshfileperm.c).
$ProtectedOwner = 'S-1-5-32-544'

# $Type is DirectorySecurity or FileSecurity. $Inheritance says which content of a folder inherits its rights.
function New-ProtectedAcl {
    param([string] $Type, [string] $Inheritance, [bool] $UsersRead = $false)
    $acl = New-Object -TypeName "System.Security.AccessControl.$Type"
    $acl.SetAccessRuleProtection($true, $false)
    $acl.SetOwner((New-Object -TypeName System.Security.Principal.SecurityIdentifier -ArgumentList $ProtectedOwner))
    foreach ($identity in $ProtectedIdentities) {
        $sid = New-Object -TypeName System.Security.Principal.SecurityIdentifier -ArgumentList $identity
        $acl.AddAccessRule((New-Object -TypeName System.Security.AccessControl.FileSystemAccessRule -ArgumentList `
                    $sid, 'FullControl', $Inheritance, 'None', 'Allow'))
    }
    if ($UsersRead) {
        $sid = New-Object -TypeName System.Security.Principal.SecurityIdentifier -ArgumentList $UsersIdentity
        $acl.AddAccessRule((New-Object -TypeName System.Security.AccessControl.FileSystemAccessRule -ArgumentList `
                    $sid, 'ReadAndExecute', $Inheritance, 'None', 'Allow'))
    }
    $acl
}

# Creates the folder if it is missing, and protects it with its content. $UsersRead is for programs, logs and settings:
# services run them as SYSTEM, so nobody else may put a file beside them.
function Protect-Folder {
    param([string] $Path, [bool] $UsersRead = $false)
    $inheritance = 'ContainerInherit, ObjectInherit'
    $acl = New-ProtectedAcl -Type 'DirectorySecurity' -Inheritance $inheritance -UsersRead $UsersRead
    $null = New-Item -Path $Path -ItemType Directory -Force
    [IO.Directory]::SetAccessControl($Path, $acl)
}

# The file is protected from the moment it is created. UTF-8 without a byte order mark.
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
