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
{{- printf "%s:%s" .Values.image.repository (.Values.image.tag | default .Chart.AppVersion) -}}
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
{{- end -}}

{{- define "payments.volumes" -}}
- name: secrets
  secret:
    secretName: {{ include "payments.secretName" . }}
    defaultMode: 0440
    items:
      - key: {{ .Values.existingSecret.databaseUrlKey }}
        path: database-url
      - key: {{ .Values.existingSecret.masterKeyKey }}
        path: master-key
      {{- with .Values.existingSecret.masterKeyPreviousKey }}
      - key: {{ . }}
        path: master-key-previous
      {{- end }}
      {{- with .Values.existingSecret.caKey }}
      - key: {{ . }}
        path: ca.crt
      {{- end }}
- name: tmp
  emptyDir:
    sizeLimit: 64Mi
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
