{{- define "tablestakes.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- /* The pod of one part of the service. It gets the files of one Secret, and can write to /tmp only. */}}
{{- define "tablestakes.pod" -}}
{{- $values := .root.Values -}}
metadata:
  labels:
    {{- include "tablestakes.labels" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .part }}
  {{- with $values.podAnnotations }}
  annotations: {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  automountServiceAccountToken: false
  enableServiceLinks: false
  terminationGracePeriodSeconds: 60
  {{- with .restartPolicy }}
  restartPolicy: {{ . }}
  {{- end }}
  {{- with $values.image.pullSecrets }}
  imagePullSecrets:
    {{- range . }}
    - name: {{ . }}
    {{- end }}
  {{- end }}
  {{- with $values.nodeSelector }}
  nodeSelector: {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.tolerations }}
  tolerations: {{- toYaml . | nindent 4 }}
  {{- end }}
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "tablestakes.labels" .root | nindent 10 }}
          app.kubernetes.io/component: {{ .part }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 10001
    runAsGroup: 10001
    fsGroup: 10001
    seccompProfile: {type: RuntimeDefault}
  containers:
    - name: {{ .part }}
      image: "{{ $values.image.repository }}:{{ $values.image.tag | default .root.Chart.AppVersion }}"
      imagePullPolicy: {{ $values.image.pullPolicy }}
      args: {{- toYaml .args | nindent 8 }}
      env:
        {{- range $name, $value := .env }}
        - {name: {{ $name }}, value: {{ $value | quote }}}
        {{- end }}
      {{- with .probes }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
      resources: {{- toYaml (index $values .part).resources | nindent 8 }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: {drop: [ALL]}
      volumeMounts:
        - {name: secrets, mountPath: /etc/tablestakes, readOnly: true}
        - {name: tmp, mountPath: /tmp}
  volumes:
    - name: secrets
      secret: {secretName: {{ .secret }}, defaultMode: 0440}
    - {name: tmp, emptyDir: {}}
{{- end }}
