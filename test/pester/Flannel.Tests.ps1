BeforeDiscovery {
    $OnDesktop = $PSVersionTable.PSEdition -eq 'Desktop'
}

BeforeAll {
    . "$PSScriptRoot/support/Support.ps1"
    foreach ($name in 'Step', 'Services', 'InstalledProgram', 'FlanneldHost') {
        . "$LibFolder/$name.ps1"
    }
}

# Windows PowerShell's own compiler, which the steps use; PowerShell 7 makes no programs.
Describe 'the program around flanneld' -Skip:(-not $OnDesktop) {
    It 'compiles' {
        $FlanneldHostPath = Join-Path $TestDrive 'flanneld-service.exe'
        $FlanneldHostMarkPath = Join-Path $TestDrive 'flanneld-service.sha256'
        Mock Get-Service { return }
        Install-FlanneldHost | Should -BeExactly 'compiled'
        [Reflection.AssemblyName]::GetAssemblyName($FlanneldHostPath).Name | Should -BeLike 'flanneld-service*'
    }
}
