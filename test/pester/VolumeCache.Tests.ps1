BeforeAll {
    . "$PSScriptRoot/support/Support.ps1"
    foreach ($name in 'Step', 'VolumeCache') {
        . "$LibFolder/$name.ps1"
    }
    Mock Write-StepProgress { return }
}

Describe 'Write-DriveCache' {
    It 'has Windows write what is in memory' {
        Mock Write-VolumeCache { return }
        Write-DriveCache
        Should -Invoke Write-VolumeCache -Times 1 -Exactly -ParameterFilter { $DriveLetter -eq 'C' }
    }

    It 'only says so where that fails' {
        Mock Write-VolumeCache { throw 'no such volume' }
        Write-DriveCache
        Should -Invoke Write-StepProgress -Times 1 -Exactly -ParameterFilter { $Message -match 'no such volume' }
    }
}
