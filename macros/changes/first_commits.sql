{% macro first_commits(settled, progress, arriving, loads) %}
    {% set redriven = ticdc.redriven_feeds(settled, progress) %}
    {% set firsts = {} %}
    {% for feed, commit_ts in settled.get("first_commits", {}).items() if feed not in redriven %}
        {% do firsts.update({feed: commit_ts}) %}
    {% endfor %}
    {% for feed, commit_ts in arriving.first_commits.items() %}
        {% do firsts.update({feed: [firsts.get(feed, commit_ts), commit_ts] | min}) %}
    {% endfor %}
    {% for load in loads %}
        {% do firsts.update({load.feed: [firsts.get(load.feed, load.commit_ts), load.commit_ts] | min}) %}
    {% endfor %}
    {% do return(firsts) %}
{% endmacro %}
