{{- define "rollcall.selector" -}}
app.kubernetes.io/name: rollcall
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "rollcall.labels" -}}
{{ include "rollcall.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/part-of: rollcall
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "rollcall.image" -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end -}}
{{- end }}

{{- /* The rules of one scope of files/rbac.json, without their reasons. */}}
{{- define "rollcall.rules" -}}
{{- $rights := .root.Files.Get "files/rbac.json" | fromJson -}}
{{- range (index $rights.scopes .scope).rules }}
- {{ omit . "why" "given" "seldom" | toJson }}
{{- end }}
{{- end }}

{{- /* Whether the daemon itself serves the agents of another project. */}}
{{- define "rollcall.servesFleet" -}}
{{- if and .Values.options.serveFleet (ne (default "" .Values.options.fleetControllers) "External") }}true{{ end -}}
{{- end }}
{{- define "rollcall.servesBesideFleet" -}}
{{- if and .Values.options.serveFleet (eq (default "" .Values.options.fleetControllers) "External") }}true{{ end -}}
{{- end }}
{{- define "rollcall.servesKubefleet" -}}
{{- if and .Values.options.serveKubefleet (ne (default "" .Values.options.kubefleetControllers) "External") }}true{{ end -}}
{{- end }}

{{- define "rollcall.servesClusternet" -}}
{{- if and .Values.options.serveClusternet (ne (default "" .Values.options.clusternetControllers) "External") }}true{{ end -}}
{{- end }}

{{- /* Rules of a workspace for what is switched on besides. */}}
{{- define "rollcall.furtherWorkspaceRules" -}}
{{- if .Values.publish.clusterProfiles }}
{{- include "rollcall.rules" (dict "root" . "scope" "profiles") }}
{{- end }}
{{- if .Values.options.serveFleet }}
{{- include "rollcall.rules" (dict "root" . "scope" "fleetClusters") }}
{{- end }}
{{- if include "rollcall.servesFleet" . }}
{{- include "rollcall.rules" (dict "root" . "scope" "fleetWorkspace") }}
{{- end }}
{{- end }}

{{- define "rollcall.isEverywhere" -}}
{{- if has "*" .Values.workspaces }}true{{ end -}}
{{- end }}

{{- /* Whether this release makes an object that others make too: it is not there, or this release made it. */}}
{{- define "rollcall.isOwn" -}}
{{- $live := lookup .object.apiVersion .object.kind (default "" .object.metadata.namespace) .object.metadata.name -}}
{{- if or (not $live) (eq (dig "metadata" "annotations" "meta.helm.sh/release-name" "" $live) .root.Release.Name) }}true{{ end -}}
{{- end }}
