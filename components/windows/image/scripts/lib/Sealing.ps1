# What turns an installed Windows into one that many machines can be made from.
Set-StrictMode -Version Latest
$ErrorActionPreference = 'Stop'

. (Join-Path $PSScriptRoot 'SystemTask.ps1')

$SealingTaskName = 'kindows-seal'
$SealedAnswerFilePath = 'C:\Windows\System32\Sysprep\unattend.xml'

# Where Setup and sysprep leave answer files, with their passwords.
$AnswerFilePaths = @(
    'C:\Windows\Panther\unattend.xml'
    'C:\Windows\Panther\unattend-original.xml'
    'C:\Windows\Panther\Unattend\unattend.xml'
    'C:\Windows\Panther\Unattend\Autounattend.xml'
    'C:\Windows\System32\Sysprep\unattend.xml'
    'C:\Windows\System32\Sysprep\Panther\unattend.xml'
    'C:\Autounattend.xml'
    'C:\unattend.xml'
)

<#
.SYNOPSIS
Removes the answer files Windows was installed by.
#>
function Remove-AnswerFile {
    [CmdletBinding()]
    param()

    foreach ($path in $AnswerFilePaths) {
        if (Test-Path -LiteralPath $path) {
            Remove-Item -LiteralPath $path -Force
        }
    }
}

<#
.SYNOPSIS
Returns a random password that meets Windows' rules of complexity: 256 bits, with letters of both cases and digits.
#>
function New-RandomPassword {
    [CmdletBinding()]
    [OutputType([string])]
    param()

    $bytes = New-Object -TypeName byte[] -ArgumentList 32
    $generator = [Security.Cryptography.RandomNumberGenerator]::Create()
    try {
        $generator.GetBytes($bytes)
    }
    finally {
        $generator.Dispose()
    }
    # The end sees to the rules, whatever the rest came out as.
    [Convert]::ToBase64String($bytes) + 'aA1-'
}

<#
.SYNOPSIS
Gives Administrator a password nobody knows: it is in no file, and SSH goes by keys.
#>
function Reset-AdministratorPassword {
    [CmdletBinding()]
    param()

    $secret = New-Object -TypeName System.Security.SecureString
    foreach ($character in (New-RandomPassword).ToCharArray()) {
        $secret.AppendChar($character)
    }
    # By the identifier that ends in 500: the account has another name in some languages.
    $account = Get-LocalUser | Where-Object { $_.SID.Value -like 'S-1-5-21-*-500' }
    Set-LocalUser -InputObject $account -Password $secret -PasswordNeverExpires $true
}

<#
.SYNOPSIS
Writes the answer file for the first boot of machines made from the image, with a password of its own.

.PARAMETER Template
Full path of the answer file with a mark in the password's place.
#>
function Write-SealedAnswerFile {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [string] $Template
    )

    $mark = '@ADMINISTRATOR-PASSWORD@'
    $text = [IO.File]::ReadAllText($Template)
    if (-not $text.Contains($mark)) {
        Stop-Step -Code 'ConfigurationUnknown' -Message "$Template has no place for a password." `
            -Remedy 'Build the image again.'
    }
    # As answer files hold passwords: base64 of UTF-16, the element's name behind it.
    $encoded = [Convert]::ToBase64String([Text.Encoding]::Unicode.GetBytes(
            (New-RandomPassword) + 'AdministratorPassword'))
    Write-ProtectedFile -Path $SealedAnswerFilePath -Text $text.Replace($mark, $encoded)
}

<#
.SYNOPSIS
Has sysprep take away what makes this machine this one, and shut it down, by a task that outlives this session.

.PARAMETER DelaySeconds
Seconds until it begins: this session must end with its result in that time.
#>
function Start-Sealing {
    [CmdletBinding()]
    param(
        [Parameter(Mandatory = $true)]
        [int] $DelaySeconds
    )

    $sysprep = "$env:SystemRoot\System32\Sysprep\Sysprep.exe"
    $command = "Unregister-ScheduledTask -TaskName $SealingTaskName -Confirm:`$false; " +
    "Start-Sleep -Seconds $DelaySeconds; " +
    "& '$sysprep' /oobe /generalize /mode:vm /shutdown /quiet /unattend:$SealedAnswerFilePath"
    Start-SystemTask -Name $SealingTaskName -Command $command
}
