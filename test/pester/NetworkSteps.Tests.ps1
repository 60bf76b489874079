BeforeAll {
    . "$PSScriptRoot/support/Steps.ps1"
}

Describe 'Add-ExternalNetwork' {
    BeforeEach {
        $there = @{ Network = $false }
        Mock Get-ContainersFeatureState { 'Installed' }
        Mock Get-NetFirewallRule { return }
        Mock New-NetFirewallRule { return }
        Mock Test-ExternalNetwork { $there.Network }
        Mock Start-ExternalNetworkTask { return }
    }

    It 'opens VXLAN''s port and starts what makes the network' {
        (& "$StepsFolder/Add-ExternalNetwork.ps1" -Address '10.0.0.1').Changed | Should -BeTrue
        Should -Invoke New-NetFirewallRule -Times 1 -Exactly -ParameterFilter { $LocalPort -eq 4789 }
        Should -Invoke Start-ExternalNetworkTask -Times 1 -Exactly -ParameterFilter { $Address -eq '10.0.0.1' }
    }

    It 'has nothing to do the second time' {
        $there.Network = $true
        Mock Get-NetFirewallRule { [pscustomobject]@{ Name = 'OverlayTraffic4789UDP' } }
        (& "$StepsFolder/Add-ExternalNetwork.ps1" -Address '10.0.0.1').Changed | Should -BeFalse
        Should -Invoke Start-ExternalNetworkTask -Times 0 -Exactly
    }

    It 'opens no port for plain routes' {
        Mock Get-Service { New-FakeService }
        $null = & "$StepsFolder/Add-ExternalNetwork.ps1" -Address '10.0.0.1' -Network 'cbr0'
        Should -Invoke New-NetFirewallRule -Times 0 -Exactly
        Should -Invoke Start-ExternalNetworkTask -Times 1 -Exactly -ParameterFilter { $Network -eq 'cbr0' }
    }

    It 'wants Flannel first for Flannel''s network' {
        Mock Get-Service { return }
        (Get-StepFailure {
            & "$StepsFolder/Add-ExternalNetwork.ps1" -Address '10.0.0.1' -Network 'flannel.4096'
        }).Code | Should -BeExactly 'FlannelMissing'
    }

    It 'wants the feature first' {
        Mock Get-ContainersFeatureState { 'InstallPending' }
        (Get-StepFailure { & "$StepsFolder/Add-ExternalNetwork.ps1" -Address '10.0.0.1' }).Code |
            Should -BeExactly 'FeatureMissing'
    }
}

Describe 'Confirm-ExternalNetwork' {
    BeforeEach {
        $made = @{ State = 'done'; Message = '' }
        Mock Get-ExternalNetworkRecord { $made }
        Mock Save-ExternalNetworkRecord { return }
        Mock Test-ExternalNetwork { $true }
        Mock Test-OwnAddress { $true }
        Mock Start-ExternalNetworkTask { return }
        Mock Invoke-NativeCommand { return }
    }

    It 'confirms the network and the address' {
        $result = & "$StepsFolder/Confirm-ExternalNetwork.ps1" -Address '10.0.0.1'
        $result.Changed | Should -BeFalse
        $result.Facts['address'] | Should -BeExactly '10.0.0.1'
        Should -Invoke Invoke-NativeCommand -Times 0 -Exactly
    }

    It 'waits while it is being made' {
        $looks = @{ Count = 0 }
        Mock Get-ExternalNetworkRecord {
            @{ State = $(if ((++$looks.Count) -lt 3) { 'running' } else { 'done' }); Message = '' }
        }
        { & "$StepsFolder/Confirm-ExternalNetwork.ps1" -Address '10.0.0.1' } | Should -Not -Throw
        $looks.Count | Should -Be 3
    }

    It 'has it made once more when it is not there' {
        Mock Test-ExternalNetwork { $false }
        (Get-StepFailure { & "$StepsFolder/Confirm-ExternalNetwork.ps1" -Address '10.0.0.1' }).Code |
            Should -BeExactly 'NetworkNotReady'
        Should -Invoke Start-ExternalNetworkTask -Times 1 -Exactly
    }

    It 'says that the address is lost' {
        Mock Test-OwnAddress { $false }
        (Get-StepFailure { & "$StepsFolder/Confirm-ExternalNetwork.ps1" -Address '10.0.0.1' }).Message |
            Should -Match 'lost its address 10\.0\.0\.1'
    }

    It 'calls off the rescue of an address that came late' {
        $made.State = 'failed'
        $null = & "$StepsFolder/Confirm-ExternalNetwork.ps1" -Address '10.0.0.1'
        Should -Invoke Invoke-NativeCommand -Times 1 -Exactly -ParameterFilter { $ArgumentList -contains '/a' }
        Should -Invoke Save-ExternalNetworkRecord -Times 1 -Exactly -ParameterFilter { $State -eq 'done' }
    }
}

Describe 'Set-ClusterRoute' {
    BeforeEach {
        $there = [Collections.Generic.List[string]]::new()
        $record = @{ Routes = @() }
        Mock Get-RouteRecord { $record.Routes }
        Mock Save-RouteRecord { $record.Routes = $Route }
        Mock Get-SegmentAdapter { 7 }
        Mock Assert-RouteFree { return }
        Mock Get-RouteStore { if ($there -contains $Route) { $RouteStores } }
        Mock Add-ClusterRoute { $there.Add($Route) }
        Mock Remove-ClusterRoute { $there.Remove($Route) }
        $pods = '10.244.0.0/16=10.0.0.2'
        $services = '10.96.0.0/16=10.0.0.2'
    }

    It 'makes the routes once, changes and removes them' {
        (& "$StepsFolder/Set-ClusterRoute.ps1" -Route "$pods;$services").Changed | Should -BeTrue
        $there | Should -Be @($pods, $services)
        Should -Invoke Add-ClusterRoute -Times 2 -Exactly -ParameterFilter { $Adapter -eq 7 }
        (& "$StepsFolder/Set-ClusterRoute.ps1" -Route "$pods;$services").Changed | Should -BeFalse
        (& "$StepsFolder/Set-ClusterRoute.ps1" -Route '10.244.0.0/16=10.0.0.3').Changed | Should -BeTrue
        $there | Should -Be @('10.244.0.0/16=10.0.0.3')
        $result = & "$StepsFolder/Set-ClusterRoute.ps1" -Route ''
        $result.Changed | Should -BeTrue
        $result.Facts['routes'] | Should -BeExactly ''
        $there.Count | Should -Be 0
        $record.Routes.Count | Should -Be 0
    }

    It 'leaves a route that somebody else made theirs' {
        $there.Add($pods)
        (& "$StepsFolder/Set-ClusterRoute.ps1" -Route "$pods;$services").Changed | Should -BeTrue
        $record.Routes | Should -Be @($services)
        $null = & "$StepsFolder/Set-ClusterRoute.ps1" -Route ''
        $there | Should -Be @($pods)
    }

    It 'writes a route down before it is made, for a run that is cut short' {
        Mock Add-ClusterRoute { throw 'power lost' }
        { & "$StepsFolder/Set-ClusterRoute.ps1" -Route $pods } | Should -Throw 'power lost'
        $record.Routes | Should -Be @($pods)
    }

    It 'changes nothing where a next hop is no neighbour' {
        Mock Get-SegmentAdapter { Stop-Step -Code 'NextHopOffSegment' -Message 'm' -Remedy 'r' }
        (Get-StepFailure { & "$StepsFolder/Set-ClusterRoute.ps1" -Route $pods }).Code |
            Should -BeExactly 'NextHopOffSegment'
        Should -Invoke Save-RouteRecord -Times 0 -Exactly
        Should -Invoke Add-ClusterRoute -Times 0 -Exactly
    }

    It 'changes nothing where somebody else''s route is in the way' {
        Mock Assert-RouteFree { Stop-Step -Code 'ForeignRoute' -Message 'm' -Remedy 'r' }
        (Get-StepFailure { & "$StepsFolder/Set-ClusterRoute.ps1" -Route $pods }).Code |
            Should -BeExactly 'ForeignRoute'
        Should -Invoke Save-RouteRecord -Times 0 -Exactly
    }
}
