BeforeAll {
    . "$PSScriptRoot/support/Support.ps1"
    $token = 'abcdef.0123456789abcdef'
    $hash = 'sha256:' + ('0a' * 32)
}

Describe 'Read-JoinSecret' {
    BeforeAll {
        # Standard input is read as a stream of the process: each case is a process of its own.
        function Read-Given {
            param([AllowEmptyString()] [string] $Text)

            # Windows PowerShell 5.1 ends at what a program writes to a standard error that is redirected.
            $ErrorActionPreference = 'Continue'
            $script = Join-Path $TestDrive 'read.ps1'
            [IO.File]::WriteAllLines($script, @(
                    ". '$LibFolder/Step.ps1'"
                    ". '$LibFolder/KubeadmJoin.ps1'"
                    'try { $secret = Read-JoinSecret; "$($secret.token) $(@($secret.caCertHashes).Count)" }'
                    'catch { $_.Exception.Data[''StepCode'']; $_.Exception.Message }'
                ))
            @($Text | & (Get-Process -Id $PID).Path -NoProfile -NonInteractive -File $script 2>$null) -join ' '
        }
    }

    It 'reads token and hashes' {
        Read-Given "{`"token`":`"$token`",`"caCertHashes`":[`"$hash`"]}" | Should -BeExactly "$token 1"
    }

    It 'refuses nothing at all' {
        Read-Given '' | Should -Match '^SecretMissing '
    }
}
