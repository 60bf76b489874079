# What containerd reads: its configuration, and the mirrors of registries.
BeforeDiscovery {
    $OnWindows = $PSVersionTable.PSEdition -eq 'Desktop' -or $IsWindows
}

BeforeAll {
    . "$PSScriptRoot/support/Support.ps1"
    foreach ($name in 'Step', 'NativeCommand', 'ContainerdConfig', 'RegistryMirror') {
        . "$LibFolder/$name.ps1"
    }
    Mock Write-StepProgress { return }
    Mock Start-Sleep { return }
}

Describe 'Edit-ContainerdConfig' {
    BeforeAll {
        # The sections of `containerd config default` of 2.3 that count, and one that only looks alike.
        $default = @(
            'version = 4'
            "  [plugins.'io.containerd.cri.v1.images']"
            "    [plugins.'io.containerd.cri.v1.images'.pinned_images]"
            "      sandbox = 'registry.k8s.io/pause:3.10.2'"
            "    [plugins.'io.containerd.cri.v1.images'.registry]"
            "      config_path = ''"
            "    [plugins.'io.containerd.cri.v1.runtime'.cni]"
            "      bin_dirs = ['C:\\Program Files\\containerd\\cni\\bin']"
            "      conf_dir = 'C:\\Program Files\\containerd\\cni\\conf'"
            "  [plugins.'io.containerd.image-verifier.v1.bindir']"
            "    bin_dir = 'C:\\verifiers'"
        ) -join "`n"
        $wanted = @{ PauseImage = 'p:1'; CniBinDirectory = 'C:/opt/cni/bin'; CniConfDirectory = 'C:/etc/cni/net.d' }
    }

    It 'changes these values, and leaves the image verifier''s folder alone' {
        $text = Edit-ContainerdConfig -Text $default @wanted
        $text | Should -Match "(?m)^ +sandbox = 'p:1'$"
        $text | Should -Match "(?m)^ +bin_dirs = \['C:/opt/cni/bin'\]$"
        $text | Should -Match "(?m)^ +conf_dir = 'C:/etc/cni/net\.d'$"
        $text | Should -Match "(?m)^ +bin_dir = 'C:\\\\verifiers'$"
        $text | Should -Match "(?m)^ +config_path = ''$"
    }

    It 'has the same result the second time' {
        $text = Edit-ContainerdConfig -Text $default @wanted
        Edit-ContainerdConfig -Text $text @wanted | Should -BeExactly $text
    }

    It 'names the folder of the mirrors where there are any' {
        Edit-ContainerdConfig -Text $default @wanted -RegistryFolder 'C:/certs.d' |
            Should -Match "(?m)^ +config_path = 'C:/certs\.d'$"
    }

    It 'refuses a configuration it does not know' {
        $failure = Get-StepFailure { Edit-ContainerdConfig -Text 'version = 9' @wanted }
        $failure.Code | Should -BeExactly 'ConfigurationUnknown'
        $failure.Message | Should -Match 'sandbox'
    }
}

Describe 'Get-RegistryHostsFile' {
    It 'lists the mirrors in their order, under our mark' {
        $text = Get-RegistryHostsFile -Mirror 'https://a.test', 'https://b.test'
        $text | Should -Match "^$([regex]::Escape($RegistryMirrorMark))\n"
        $text.IndexOf('[host."https://a.test"]') | Should -BeLessThan $text.IndexOf('[host."https://b.test"]')
        $text | Should -Not -Match "`r"
    }
}

Describe 'Set-RegistryMirror' -Skip:(-not $OnWindows) {
    BeforeEach {
        $folder = Join-Path $TestDrive ([Guid]::NewGuid())
    }

    It 'writes a file per registry, once' {
        Set-RegistryMirror -Folder $folder -Mirrors 'docker.io=https://a.test;r.test:5000=https://b.test' |
            Should -BeTrue
        "$folder\docker.io\hosts.toml" | Should -Exist
        "$folder\r.test_5000_\hosts.toml" | Should -Exist
        Set-RegistryMirror -Folder $folder -Mirrors 'docker.io=https://a.test;r.test:5000=https://b.test' |
            Should -BeFalse
    }

    It 'takes its own away again, and nobody else''s' {
        $null = Set-RegistryMirror -Folder $folder -Mirrors 'docker.io=https://a.test'
        $null = New-Item -Path "$folder\mine" -ItemType Directory
        [IO.File]::WriteAllText("$folder\mine\hosts.toml", 'server = "https://mine.test"')
        Set-RegistryMirror -Folder $folder -Mirrors '' | Should -BeTrue
        "$folder\docker.io\hosts.toml" | Should -Not -Exist
        "$folder\mine\hosts.toml" | Should -Exist
        Set-RegistryMirror -Folder $folder -Mirrors '' | Should -BeFalse
    }
}
