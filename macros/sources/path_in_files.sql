{% macro path_in_files(feed) -%}
    {%- set scheme = "^[A-Za-z0-9+.-]+:(//[^/]*)?" -%}
    {%- set folder = modules.re.sub("/+", "/", modules.re.sub(scheme, "", feed.source.files)).rstrip("/") -%}
    substring(regexp_replace(path, '{{ scheme }}', ''), {{ folder | length + 2 }})
{%- endmacro %}
