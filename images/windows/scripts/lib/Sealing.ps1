# Turns an installed Windows into an image from which many machines can be made.

. (Join-Path $PSScriptRoot 'SystemTask.ps1')

$SealingTaskName = 'kindows-seal'
$SealedAnswerFilePath = 'C:\Windows\System32\Sysprep\unattend.xml'
$WindowsStateKey = 'HKLM:\SOFTWARE\Microsoft\Windows\CurrentVersion\Setup\State'
$SysprepErrorLog = 'C:\Windows\System32\Sysprep\Panther\setuperr.log'

# Paths where Setup and sysprep leave answer files, which contain passwords.
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

function Remove-AnswerFile {
    foreach ($path in $AnswerFilePaths) {
        if (Test-Path -LiteralPath $path) {
            Remove-Item -LiteralPath $path -Force
        }
    }
}

# 256 random bits. The suffix meets Windows' complexity rules, whatever the random part is.
function New-RandomPassword {
    $bytes = New-Object -TypeName byte[] -ArgumentList 32
    $generator = [Security.Cryptography.RandomNumberGenerator]::Create()
    try {
        $generator.GetBytes($bytes)
    }
    finally {
        $generator.Dispose()
    }
    [Convert]::ToBase64String($bytes) + 'aA1-'
}

# Nobody knows the new password. SSH only accepts keys. Returns the account's name and the password, for the task that
# seals.
function Reset-AdministratorPassword {
    $secret = New-Object -TypeName System.Security.SecureString
    $password = New-RandomPassword
    foreach ($character in $password.ToCharArray()) {
        $secret.AppendChar($character)
    }
    # Found by its SID, which ends in 500, because the account has another name in some languages.
    $account = Get-LocalUser | Where-Object { $_.SID.Value -like 'S-1-5-21-*-500' }
    Set-LocalUser -InputObject $account -Password $secret -PasswordNeverExpires $true
    @{ Name = $account.Name; Password = $password }
}

# Writes the answer file for the first boot of machines made from the image. A random password replaces the placeholder.
function Write-SealedAnswerFile {
    param([string] $Template)
    $placeholder = '@ADMINISTRATOR-PASSWORD@'
    $text = [IO.File]::ReadAllText($Template)
    if (-not $text.Contains($placeholder)) {
        Stop-Step -Code 'ConfigurationUnknown' -Message "$Template has no placeholder for a password." `
            -Remedy 'Build the image again.'
    }
    # Answer files have passwords in base64 of UTF-16, with the element's name appended.
    $encoded = [Convert]::ToBase64String([Text.Encoding]::Unicode.GetBytes(
            (New-RandomPassword) + 'AdministratorPassword'))
    Write-ProtectedFile -Path $SealedAnswerFilePath -Text $text.Replace($placeholder, $encoded)
}

# Runs sysprep in a task, which outlives this session. As Administrator, because Microsoft does not support it as SYSTEM
# (learn.microsoft.com, Sysprep overview), and on machines from such an image the shell may not start. $Administrator is
# what Reset-AdministratorPassword returned.
function Start-Sealing {
    param([int] $DelaySeconds, [hashtable] $Administrator)
    $libraries = 'Step.ps1', 'NativeCommand.ps1', 'SerialLog.ps1', 'Sealing.ps1' |
        ForEach-Object { ". '$(Join-Path $PSScriptRoot $_)'" }
    $command = (@($libraries) + "Invoke-Sysprep -DelaySeconds $DelaySeconds") -join '; '
    Start-DetachedTask -Name $SealingTaskName -Line $command -Account $Administrator
}

# Runs in the task, when nobody can log in any more. sysprep's exit code does not show whether it succeeded, so this
# checks Windows' image state, as the public recipes for images in Azure do.
function Invoke-Sysprep {
    param([int] $DelaySeconds)
    # A running task continues without its registration.
    Unregister-ScheduledTask -TaskName $SealingTaskName -Confirm:$false -ErrorAction Stop
    $remedy = 'Solve what sysprep names, then build the image again.'
    try {
        Start-Sleep -Seconds $DelaySeconds
        $null = Invoke-NativeCommand -FilePath "$env:SystemRoot\System32\Sysprep\Sysprep.exe" -TimeoutSeconds 2400 `
            -ArgumentList '/oobe', '/generalize', '/mode:vm', '/shutdown', '/quiet',
        "/unattend:$SealedAnswerFilePath" -Remedy $remedy
        for ($attempt = 0; $attempt -lt 12; $attempt++) {
            $state = (Get-ItemProperty -LiteralPath $WindowsStateKey).ImageState
            if ($state -eq 'IMAGE_STATE_GENERALIZE_RESEAL_TO_OOBE') {
                return
            }
            Start-Sleep -Seconds 5
        }
        $errors = '(no log)'
        if (Test-Path -LiteralPath $SysprepErrorLog) {
            $errors = (Get-Content -LiteralPath $SysprepErrorLog -Tail 5) -join ' '
        }
        Stop-Step -Code 'CommandFailed' -Remedy $remedy `
            -Message "sysprep ended without generalizing ($state): $errors"
    }
    catch {
        Write-SerialFailure -Exception $_.Exception
    }
}
