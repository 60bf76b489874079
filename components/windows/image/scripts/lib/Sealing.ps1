# What turns an installed Windows into one that many machines can be made from.

. (Join-Path $PSScriptRoot 'SystemTask.ps1')

$SealingTaskName = 'kindows-seal'
$SealedAnswerFilePath = 'C:\Windows\System32\Sysprep\unattend.xml'
$WindowsStateKey = 'HKLM:\SOFTWARE\Microsoft\Windows\CurrentVersion\Setup\State'
$SysprepErrorLog = 'C:\Windows\System32\Sysprep\Panther\setuperr.log'

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

function Remove-AnswerFile {
    foreach ($path in $AnswerFilePaths) {
        if (Test-Path -LiteralPath $path) {
            Remove-Item -LiteralPath $path -Force
        }
    }
}

# 256 bits, and what Windows' rules of complexity want.
function New-RandomPassword {
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

# Nobody knows it: it is in no file, and SSH goes by keys.
function Reset-AdministratorPassword {
    $secret = New-Object -TypeName System.Security.SecureString
    foreach ($character in (New-RandomPassword).ToCharArray()) {
        $secret.AppendChar($character)
    }
    # By the identifier that ends in 500: the account has another name in some languages.
    $account = Get-LocalUser | Where-Object { $_.SID.Value -like 'S-1-5-21-*-500' }
    Set-LocalUser -InputObject $account -Password $secret -PasswordNeverExpires $true
}

# For the first boot of machines made from the image, with a password of its own in the place of the template's mark.
function Write-SealedAnswerFile {
    param([string] $Template)
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

# A task does it, which outlives this session.
function Start-Sealing {
    param([int] $DelaySeconds)
    $libraries = 'Step.ps1', 'NativeCommand.ps1', 'SerialLog.ps1', 'Sealing.ps1' |
        ForEach-Object { ". '$(Join-Path $PSScriptRoot $_)'" }
    $command = (@($libraries) + "Invoke-Sysprep -DelaySeconds $DelaySeconds") -join '; '
    Start-SystemTask -Name $SealingTaskName -Command $command
}

# The task itself. Nobody can log in any more by then. Whether sysprep did it does not show in its exit code, but by the
# state of Windows, as the public recipes for images in Azure look at it.
function Invoke-Sysprep {
    param([int] $DelaySeconds)
    # What runs goes on without its task.
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
