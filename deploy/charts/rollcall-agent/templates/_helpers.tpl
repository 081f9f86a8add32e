{{- /* The image with its tag; one that has a tag or a digest already stays as it is. */}}
{{- define "rollcall-agent.image" -}}
{{- $image := .Values.agent.image -}}
{{- $last := splitList "/" $image | last -}}
{{- if or (contains ":" $last) (contains "@" $last) -}}{{ $image }}
{{- else -}}{{ $image }}:{{ .Values.agent.version | default .Chart.AppVersion }}{{- end -}}
{{- end }}

{{- /*
All objects as a JSON list, in the order in which they are applied. files/objects.json is made from the code that the hub
installs agents by; only what the settings of the agent change is said here.
*/}}
{{- define "rollcall-agent.objects" -}}
{{- $objects := .Files.Get "files/objects.json" | replace "@NAMESPACE@" .Release.Namespace | fromJsonArray -}}
{{- $settings := .Values.agent -}}
{{- range $object := $objects -}}
{{- if eq $object.kind "Deployment" -}}
{{- $spec := $object.spec -}}
{{- $pod := $spec.template.spec -}}
{{- $container := first $pod.containers -}}
{{- $_ := set $spec "progressDeadlineSeconds" $.Values.deadlineSeconds -}}
{{- if not (kindIs "invalid" $settings.replicas) }}{{ $_ := set $spec "replicas" $settings.replicas }}{{ end -}}
{{- if not (kindIs "invalid" $settings.redeployGeneration) -}}
{{- $mark := dict "rollcall.dev/redeploy-generation" ($settings.redeployGeneration | int64 | toString) -}}
{{- $_ := set $spec.template.metadata "annotations" $mark -}}
{{- end -}}
{{- if $settings.hostNetwork -}}
{{- $_ := set $spec.strategy "rollingUpdate" (dict "maxSurge" 0 "maxUnavailable" 1) -}}
{{- $_ := set $pod "hostNetwork" true -}}
{{- $_ := set $pod "dnsPolicy" "ClusterFirstWithHostNet" -}}
{{- end -}}
{{- range $key := list "nodeSelector" "affinity" "tolerations" "priorityClassName" "imagePullSecrets" -}}
{{- with index $settings $key }}{{ $_ := set $pod $key . }}{{ end -}}
{{- end -}}
{{- $_ := set $container "image" (include "rollcall-agent.image" $) -}}
{{- with $settings.resources }}{{ $_ := set $container "resources" . }}{{ end -}}
{{- $env := list -}}
{{- $names := list -}}
{{- range $variable := $container.env -}}
{{- $names = append $names $variable.name -}}
{{- if and (eq $variable.name "ROLLCALL_LOG_LEVEL") $settings.logLevel -}}
{{- $variable = dict "name" $variable.name "value" $settings.logLevel -}}
{{- end -}}
{{- $env = append $env $variable -}}
{{- end -}}
{{- range $variable := $settings.env -}}
{{- if not (has $variable.name $names) }}{{ $env = append $env $variable }}{{ end -}}
{{- end -}}
{{- $_ := set $container "env" $env -}}
{{- end -}}
{{- end -}}
{{- $objects | toRawJson -}}
{{- end }}
