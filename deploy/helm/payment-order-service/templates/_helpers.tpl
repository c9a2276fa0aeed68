{{- define "payments.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "payments.selectorLabels" -}}
app.kubernetes.io/name: payment-order-service
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "payments.labels" -}}
{{ include "payments.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "payments.image" -}}
{{- .Values.image.repository -}}
{{- if .Values.image.digest -}}
{{- printf "@%s" .Values.image.digest -}}
{{- end -}}
{{- if not .Values.image.digest -}}
{{- printf ":%s" (.Values.image.tag | default .Chart.AppVersion) -}}
{{- end -}}
{{- end -}}

{{/* The user of the Dockerfile. */}}
{{- define "payments.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "payments.securityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop:
    - ALL
{{- end -}}

{{- define "payments.env" -}}
- name: HOST
  value: "0.0.0.0"
- name: PORT
  value: "8080"
- name: PUBLIC_URL
  value: {{ required "publicUrl is missing: the https URL under which the service is reached" .Values.publicUrl | quote }}
{{- if .Values.trustedProxies }}
- name: TRUSTED_PROXIES
  value: {{ join "," .Values.trustedProxies | quote }}
{{- end }}
- name: DATABASE_URL_FILE
  value: /run/secrets/payments/database-url
- name: MASTER_KEY_FILE
  value: /run/secrets/payments/master-key
{{- if .Values.existingSecret.masterKeyPreviousKey }}
- name: MASTER_KEY_PREVIOUS_FILE
  value: /run/secrets/payments/master-key-previous
{{- end }}
{{- range $name, $value := .Values.env }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Hooks run before the release has an account, so the job has one of its own for its time. */}}
{{- define "payments.serviceAccountName" -}}
{{- .Values.serviceAccount.name | default (ternary (include "payments.name" .) "default" .Values.serviceAccount.create) -}}
{{- end -}}

{{- define "payments.migrateAccountName" -}}
{{- include "payments.serviceAccountName" . -}}
{{- if .Values.serviceAccount.create -}}
-migrate
{{- end -}}
{{- end -}}

{{- define "payments.hookAnnotations" -}}
helm.sh/hook: pre-install,pre-upgrade
helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
{{- end -}}

{{- define "payments.secretName" -}}
{{- required "existingSecret.name is missing: the secret with the database URL and the master key" .Values.existingSecret.name -}}
{{- end -}}

{{- define "payments.volumeMounts" -}}
- name: secrets
  mountPath: /run/secrets/payments
  readOnly: true
- name: tmp
  mountPath: /tmp
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Each workload names the secret of its database URL before these. */}}
{{- define "payments.keySources" -}}
- secret:
    name: {{ include "payments.secretName" . }}
    items:
      - key: {{ .Values.existingSecret.masterKeyKey }}
        path: master-key
      {{- with .Values.existingSecret.masterKeyPreviousKey }}
      - key: {{ . }}
        path: master-key-previous
      {{- end }}
{{- include "payments.certificateSource" . }}
{{- end -}}

{{- define "payments.certificateSource" -}}
{{- if .Values.existingSecret.caKey }}
- secret:
    name: {{ include "payments.secretName" . }}
    items:
      - key: {{ .Values.existingSecret.caKey }}
        path: ca.crt
{{- end }}
{{- end -}}

{{- define "payments.databaseItems" -}}
- key: {{ .Values.existingSecret.databaseUrlKey }}
  path: database-url
{{- end -}}

{{- define "payments.otherVolumes" -}}
- name: tmp
  emptyDir:
    sizeLimit: 64Mi
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Names are resolved before anything else can be reached. */}}
{{- define "payments.egressToDatabase" -}}
- ports:
    - port: 53
      protocol: UDP
    - port: 53
      protocol: TCP
- ports:
    {{- range $_, $port := .Values.networkPolicy.databasePorts }}
    - port: {{ $port }}
      protocol: TCP
    {{- end }}
  {{- with .Values.networkPolicy.databaseTo }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{- define "payments.ingressPath" -}}
- path: {{ index . 1 }}
  pathType: {{ index . 2 }}
  backend:
    service:
      name: {{ include "payments.name" (index . 0) }}
      port:
        name: http
{{- end -}}
